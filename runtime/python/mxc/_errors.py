"""What the library's statuses are in Python; the text is mxc's own."""


class Error(RuntimeError):
    """Something that mxc refused or failed at."""


class InvalidInputError(Error, ValueError):
    """A file, kernel, shape, type or tensor is at fault."""


class UsageError(Error, ValueError):
    """The call is: an unknown option, device name or argument."""


class DeviceError(Error):
    """The device or driver is missing or failed."""


class OutOfMemoryError(Error, MemoryError):
    """Of the host's memory."""


class InternalError(Error):
    """A defect of mxc's."""


class MxcWarning(UserWarning):
    """What a compilation warns of, and why a kernel could not be kept in the cache."""


BY_STATUS = {1: InvalidInputError, 2: UsageError, 3: DeviceError, 4: OutOfMemoryError, 5: InternalError}
