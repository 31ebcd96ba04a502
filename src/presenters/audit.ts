import { changesOf, summaryOf, textOf, type AuditRecord } from '../domain/audit/entry.ts'

/** An entry of the audit for its company: in the API, in the console, and in exports. */
export const presentAuditRecord = (record: AuditRecord) => ({
  id: String(record.number),
  created_at: record.at.toISOString(),
  actor: { id: record.actor.id, name: record.actorName },
  action: record.action,
  target: { id: record.targetId, name: record.targetName },
  summary: summaryOf(record),
  changes: changesOf(record.details).map(({ field, before, after }) => ({ field, before, after })),
  details: record.details,
  ip: record.actor.ip ?? null,
})

/** An entry on the command line. */
export const presentAuditEntry = (record: AuditRecord) => ({
  at: record.at.toISOString(),
  actor: record.actor.id,
  actor_name: record.actorName,
  action: record.action,
  target_id: record.targetId,
  target_name: record.targetName,
  summary: summaryOf(record),
  details: record.details,
  ip: record.actor.ip ?? null,
})

/** Texts that a spreadsheet could take for a formula (OWASP, CSV Injection). Full-width characters count too. */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/

/**
 * One line of a CSV file (RFC 4180). Every cell is in quotation marks. A text that a spreadsheet could take for a formula
 * gets an apostrophe before it.
 */
export const csvLine = (cells: readonly string[]): string => `${cells.map(cellOf).join(',')}\r\n`

const cellOf = (text: string): string => `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`

/** The forms in which the audit is exported. */
export const AUDIT_FORMATS = ['csv', 'jsonl'] as const

export type AuditFormat = (typeof AUDIT_FORMATS)[number]

const COLUMNS = 'id created_at actor_id actor_name action target_id target_name summary changes ip'.split(' ')

type Lines = { readonly head: string; readonly line: (record: AuditRecord) => string }

/** For each form of an export, the text at its beginning, and the line of an entry with its line break. */
export const AUDIT_LINES: Readonly<Record<AuditFormat, Lines>> = {
  csv: {
    head: csvLine(COLUMNS),
    line: (record) =>
      csvLine([
        String(record.number),
        record.at.toISOString(),
        record.actor.id,
        record.actorName ?? '',
        record.action,
        record.targetId,
        record.targetName ?? '',
        summaryOf(record),
        changesOf(record.details)
          .map(({ field, before, after }) => `${field}: ${textOf(before)} -> ${textOf(after)}`)
          .join('; '),
        record.actor.ip ?? '',
      ]),
  },
  jsonl: { head: '', line: (record) => `${JSON.stringify(presentAuditRecord(record))}\n` },
}
