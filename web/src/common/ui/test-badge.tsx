import { Status } from './status.tsx'
import { texts } from './texts.ts'

/** Marks a test event and its deliveries. */
export const TestBadge = () => (
  <Status tone="idle" isBadge>
    {texts.test}
  </Status>
)
