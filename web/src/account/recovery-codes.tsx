import { ShownOnce } from '../common/ui/shown-once.tsx'

/** Shows the recovery codes the only time. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  return (
    <ShownOnce title="Your recovery codes" what="codes" value={codes.join('\n')} onDone={onDone}>
      <p>Each works once in place of a code of your authenticator. Former ones are void.</p>
    </ShownOnce>
  )
}
