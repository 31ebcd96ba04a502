import { shellWord } from '../common/format/shell.ts'

/** Programs that use a new key. The reader may rename the variable. */
export const envLine = (key: string): string => `SALES_DATA_API_KEY=${key}`

/** A first call with the key. @param publicUrl address of the API, without a slash at the end */
export const curlCall = (publicUrl: string, key: string): string =>
  `curl -H ${shellWord(`Authorization: Bearer ${key}`)} ${publicUrl}/api-v1-webhooks`
