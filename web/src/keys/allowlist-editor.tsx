import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { AllowlistVerdict } from '../common/api/wire.ts'
import { useSession } from '../common/session/context.ts'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import { Status } from '../common/ui/status.tsx'
import { addLine } from './allowlist-text.ts'
import { useAllowlistCheck } from './use-allowlist-check.ts'
import { texts } from './texts.ts'

type Props = {
  readonly text: string
  readonly onChange: (text: string) => void
  readonly error?: string | undefined
}

/**
 * The addresses that may use a key, one on each line. While the user types, the api checks the lines and says which are wrong.
 */
export function AllowlistEditor({ text, onChange, error }: Props) {
  const { address } = useSession()
  const check = useAllowlistCheck(text, '')
  const faults = text.trim() === '' ? [] : (check.data?.faults ?? [])
  return (
    <Stack gap="xs">
      <Textarea
        label={texts.ipAllowlist}
        description={texts.allowlistHow}
        autosize={false}
        rows={5}
        spellCheck={false}
        value={text}
        error={error ?? (faults.length > 0 ? faultTexts(faults) : undefined)}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <Group>
        <Button size="xs" variant="default" onClick={() => onChange(addLine(text, address))}>
          {texts.addMyAddress({ address })}
        </Button>
      </Group>
      <AddressTest text={text} />
    </Stack>
  )
}

const faultTexts = (faults: readonly AllowlistVerdict['faults'][number][]) =>
  faults.map(({ line, message }) => (
    <span key={line} className="foreign line">
      {texts.faultAtLine({ line, message })}
    </span>
  ))

function AddressTest({ text }: { text: string }) {
  const [address, setAddress] = useState('')
  const check = useAllowlistCheck(text, address.trim())
  const verdict = address.trim() === '' ? undefined : check.data?.allowed
  return (
    <div>
      <TextInput
        label={texts.testAnAddress}
        description={texts.testHow}
        placeholder={texts.anAddress}
        value={address}
        onChange={(event) => setAddress(event.currentTarget.value)}
      />
      <Text size="sm" mt={4} role="status">
        {verdict === true && <Status tone="good">{texts.wouldBeLetIn}</Status>}
        {verdict === false && <Status tone="bad">{texts.wouldBeRefused}</Status>}
      </Text>
      {address.trim() !== '' && check.error && <RefusalNotice error={check.error} />}
    </div>
  )
}
