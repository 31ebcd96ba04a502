type Preview = {
  readonly examined: number
  readonly matched: number
  readonly examples: readonly {
    readonly eventId: string
    readonly isMatch: boolean
    readonly because: string
  }[]
}

/** What a filter would have done to events. */
export const presentFilterPreview = ({ examined, matched, examples }: Preview) => ({
  examined,
  matched,
  examples: examples.map(({ eventId, isMatch, because }) => ({
    event_id: eventId,
    matched: isMatch,
    because,
  })),
})
