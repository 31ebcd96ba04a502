import { Status } from './status.tsx'
import { texts } from './texts.ts'

/** Marks what belongs to a test event. */
export const TestBadge = () => (
  <Status tone="idle" isBadge>
    {texts.test}
  </Status>
)
