import { ExactTime } from '../common/ui/when.tsx'
import { fromWhere, mayDo } from './key-words.ts'

type Props = {
  readonly scopes: readonly string[]
  readonly allowlist: readonly string[]
  /** When it stops working; null for never, undefined while it is not complete. */
  readonly expiresAt: string | null | undefined
}

/** In one sentence what a key may do, from where, and until when. */
export const KeySentence = ({ scopes, allowlist, expiresAt }: Props) => (
  <span className="foreign">
    This key may {mayDo(scopes)}, {fromWhere(allowlist)},{' '}
    {expiresAt ? (
      <>
        until <ExactTime at={expiresAt} />
      </>
    ) : expiresAt === null ? (
      'until it is revoked'
    ) : (
      'until a date that is not complete'
    )}
    .
  </span>
)
