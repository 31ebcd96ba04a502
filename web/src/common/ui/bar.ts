/** One column of a chart. */
export type Bar = {
  readonly label: string
  readonly value: number
  /** The part of the value that is bad, drawn darker and named. */
  readonly bad?: number
}
