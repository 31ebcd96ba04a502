import { shellWord } from '../common/format/shell.ts'

/** Ways to use a new key. The variable's name is the reader's to change. */
export const envLine = (key: string): string => `SALES_DATA_API_KEY=${key}`

/** A first call with the key. @param publicUrl of the API, without a slash at its end */
export const curlCall = (publicUrl: string, key: string): string =>
  `curl -H ${shellWord(`Authorization: Bearer ${key}`)} ${publicUrl}/api-v1-webhooks`
