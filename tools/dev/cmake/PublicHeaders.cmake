# public-headers.txt in the build's folder: what mxc_public_headers named, a line each.
get_property(public_headers GLOBAL PROPERTY MXC_PUBLIC_HEADERS)
list(JOIN public_headers "\n" public_headers)
file(CONFIGURE OUTPUT public-headers.txt CONTENT "${public_headers}\n")
