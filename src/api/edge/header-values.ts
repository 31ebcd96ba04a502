import type { IncomingMessage } from 'node:http'

/** Every value of a header, in order. Node's `headers` keeps one of them, or joins them, and so hides repeats. */
export const headerValues = ({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): string[] =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name)
