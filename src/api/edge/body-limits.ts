/** The body of a request may have at most this many bytes after decompression. */
export const BODY_LIMIT_BYTES = 256 * 1024

/** The limit as text, for error messages and the OpenAPI document. */
export const BODY_LIMIT = `${BODY_LIMIT_BYTES / 1024} KiB`

export const BODY_TOO_LARGE = `The request body is larger than ${BODY_LIMIT}.`
