import { Anchor, Button, Modal, Stack, Text } from '@mantine/core'
import { useState, type SubmitEvent } from 'react'
import { useClient, useConsole, useSession, useStore } from '../common/session/context.ts'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import { SHOW_PASSWORD, SignInForm } from './sign-in-form.tsx'
import { Form } from '../common/ui/form.tsx'
import { PasswordField } from '../common/ui/fields.tsx'
import { texts } from './texts.ts'

/** Above all other dialogs. */
const ON_TOP = 400

/** The dialogs that a call may open at any time. The page below them stays as it is. */
export function Prompts() {
  const open = useStore(useConsole().prompter.open)
  if (!open) return null
  return (
    <Modal
      opened
      onClose={() => open.answer(false)}
      title={open.question === 'signIn' ? texts.youWereSignedOut : texts.confirmThatItIsYou}
      zIndex={ON_TOP}
      closeButtonProps={{ 'aria-label': texts.close }}
    >
      {open.question === 'signIn' ? (
        <SignInAgain onAnswer={open.answer} />
      ) : (
        <PasswordForm onDone={() => open.answer(true)} />
      )}
    </Modal>
  )
}

function SignInAgain({ onAnswer }: { onAnswer: (isSignedIn: boolean) => void }) {
  const client = useClient()
  const { user, company } = useSession()
  const leave = () => {
    onAnswer(false)
    void client.session()
  }
  return (
    <Stack>
      <Text size="sm">{texts.goOn}</Text>
      <SignInForm again={{ email: user.email, companyId: company.id }} onDone={() => onAnswer(true)} />
      <Anchor component="button" type="button" size="sm" onClick={leave}>
        {texts.leavePage}
      </Anchor>
    </Stack>
  )
}

function PasswordForm({ onDone }: { onDone: () => void }) {
  const client = useClient()
  const [password, setPassword] = useState('')
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const submit = async () => {
    setBusy(true)
    setError(undefined)
    try {
      await client.reauthenticate(password)
      onDone()
    } catch (refused) {
      setError(refused)
    } finally {
      setBusy(false)
    }
  }
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    void submit()
  }
  return (
    <Form onSubmit={onSubmit}>
      <Stack>
        <Text size="sm">{texts.whyPassword}</Text>
        {error !== undefined && <RefusalNotice error={error} />}
        <PasswordField
          name="password"
          label={texts.password}
          autoComplete="current-password"
          required
          data-autofocus
          visibilityToggleButtonProps={SHOW_PASSWORD}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Button type="submit" loading={isBusy}>
          {texts.continue}
        </Button>
      </Stack>
    </Form>
  )
}
