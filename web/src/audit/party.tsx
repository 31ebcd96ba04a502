import { Anchor } from '@mantine/core'
import type { AuditEntry } from '../common/api/wire.ts'
import { ForeignName } from '../common/ui/foreign-text.tsx'
import { ShownId } from '../common/ui/short-id.tsx'
import { texts } from './texts.ts'

const NAMES: Readonly<Record<string, string | undefined>> = texts.actors

type Props = {
  readonly party: AuditEntry['actor']
  readonly onPress?: (() => void) | undefined
}

/** An actor or an object, by name. A click narrows the list to its entries. */
export function Party({ party: { id, name: given }, onPress }: Props) {
  const name = given ?? NAMES[id]
  const shown = name === undefined ? <ShownId id={id} /> : <ForeignName text={name} />
  if (!onPress) return shown
  return (
    <Anchor
      component="button"
      type="button"
      inherit
      c="inherit"
      ta="left"
      title={texts.onlyOfThis({ name: name ?? id })}
      onClick={onPress}
    >
      {shown}
    </Anchor>
  )
}
