import { ShownOnce } from '../common/ui/shown-once.tsx'
import { texts } from './texts.ts'

/** Shows the recovery codes. They can be seen only this once. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  return (
    <ShownOnce title={texts.yourRecoveryCodes} what={texts.codes} value={codes.join('\n')} onDone={onDone}>
      <p>{texts.codesMean}</p>
    </ShownOnce>
  )
}
