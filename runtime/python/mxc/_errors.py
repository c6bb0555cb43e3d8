"""The library's statuses as exceptions; the text is mxc's own."""


class Error(RuntimeError):
    """Something that mxc refused or failed at."""


class InvalidInputError(Error, ValueError):
    """A file, kernel, shape, type or tensor is at fault."""


class UsageError(Error, ValueError):
    """The call is at fault: an unknown option, device name or argument."""


class DeviceError(Error):
    """The device or driver is missing or failed."""


class OutOfMemoryError(Error, MemoryError):
    """The host has no memory left."""


class InternalError(Error):
    """A defect of mxc."""


class MxcWarning(UserWarning):
    """A warning of a compilation, or why a kernel could not be kept in the cache."""


BY_STATUS = {1: InvalidInputError, 2: UsageError, 3: DeviceError, 4: OutOfMemoryError, 5: InternalError}
