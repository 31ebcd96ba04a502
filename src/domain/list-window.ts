/** The time in which the records of a list were created: from `createdAfter` on, and before `createdBefore`. */
export type ListWindow = {
  readonly createdAfter?: Date | undefined
  readonly createdBefore?: Date | undefined
}

/** Whether no record can be in the window, because its ends were mixed up. */
export const endsBeforeItBegins = ({ createdAfter, createdBefore }: ListWindow): boolean =>
  (createdBefore?.getTime() ?? Infinity) < (createdAfter?.getTime() ?? -Infinity)
