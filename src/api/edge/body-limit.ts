/** The largest body of a request, counted after decompression. */
export const BODY_LIMIT_BYTES = 256 * 1024

/** How messages and the description of the API name it. */
export const BODY_LIMIT = `${BODY_LIMIT_BYTES / 1024} KiB`

export const BODY_TOO_LARGE = `The request body is larger than ${BODY_LIMIT}.`
