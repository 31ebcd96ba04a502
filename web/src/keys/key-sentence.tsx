import { Moment } from '../common/ui/when.tsx'
import { fromWhere, mayDo } from './key-words.ts'
import { texts } from './texts.ts'

type Props = {
  readonly scopes: readonly string[]
  readonly allowlist: readonly string[]
  /** When it stops working; null for never, undefined while it is not complete. */
  readonly expiresAt: string | null | undefined
}

/** In one sentence what a key may do, from where, and until when. */
export const KeySentence = ({ scopes, allowlist, expiresAt }: Props) => (
  <span className="foreign">
    {texts.keyMay({
      scopes: mayDo(scopes),
      addresses: fromWhere(allowlist),
      until: expiresAt
        ? texts.until({ when: <Moment at={expiresAt} /> })
        : expiresAt === null
          ? texts.untilRevoked
          : texts.untilIncomplete,
    })}
  </span>
)
