import { Mark } from './mark.tsx'
import { texts } from './texts.ts'

/** The sign of the product beside its name. */
export const Brand = () => (
  <div className="brand">
    <Mark />
    <span>{texts.salesDataWebhooks}</span>
  </div>
)
