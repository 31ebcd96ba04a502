import { Text } from '@mantine/core'
import { ShownOnce } from '../common/ui/shown-once.tsx'
import { VerifyTabs } from './verify-tabs.tsx'
import { texts } from './texts.ts'

type Props = { readonly title: string; readonly secret: string; readonly onDone: () => void }

/** Shows a signing secret, with programs that use it. It can be seen only this once. */
export function SecretShown({ title, secret, onDone }: Props) {
  return (
    <ShownOnce title={title} what={texts.secret} value={secret} onDone={onDone}>
      <Text size="sm">{texts.checkWithIt}</Text>
      <VerifyTabs secret={secret} />
    </ShownOnce>
  )
}
