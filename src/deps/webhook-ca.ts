import { readFileSync } from 'node:fs'
import type { Config } from '../config/index.ts'

/** The certificates of WEBHOOK_CA_FILE (PEM), which workers trust in addition to the public ones; undefined: there are none. */
export const readWebhookCa = ({ webhookCaFile }: Pick<Config, 'webhookCaFile'>): string | undefined =>
  webhookCaFile === undefined ? undefined : readFileSync(webhookCaFile, 'utf8')
