import { Button, Radio, Stack } from '@mantine/core'
import { useState, type SubmitEvent } from 'react'
import { isRefusal } from '../common/api/refusal.ts'
import type { ChooseCompany } from '../common/api/wire.ts'
import { useClient } from '../common/session/context.ts'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import { Form } from '../common/ui/form.tsx'
import { PasswordField, TextField } from '../common/ui/fields.tsx'
import { texts } from './texts.ts'

type Props = {
  /** The user and company of the session that ended. Set if the user must sign in again in the middle of something. */
  readonly again?: { readonly email: string; readonly companyId: string }
  readonly onDone?: () => void
}

/** The button that shows the password. The tab key reaches it. */
export const SHOW_PASSWORD = { 'aria-label': texts.showThePassword, tabIndex: 0 }

/** Asks for email and password. It asks for the second factor, or for the company, only if the api does. */
export function SignInForm({ again, onDone }: Props) {
  const client = useClient()
  const [email, setEmail] = useState(again?.email ?? '')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [needsCode, setNeedsCode] = useState(false)
  const [choice, setChoice] = useState<ChooseCompany['companies']>([])
  const [companyId, setCompanyId] = useState(again?.companyId ?? '')
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)

  const signIn = async () => {
    setBusy(true)
    setError(undefined)
    try {
      const answer = await client.signIn({
        email,
        password,
        ...(code !== '' && { code: code.trim() }),
        ...(companyId !== '' && { company_id: companyId }),
      })
      if (answer.state === 'choose_company') {
        setChoice(answer.companies)
        setCompanyId(answer.companies[0]?.id ?? '')
      } else onDone?.()
    } catch (refused) {
      const isMissing = isRefusal(refused, 'SECOND_FACTOR_REQUIRED')
      if (isMissing || isRefusal(refused, 'SECOND_FACTOR_LOCKED')) setNeedsCode(true)
      if (!isMissing) setError(refused)
    } finally {
      setBusy(false)
    }
  }
  // A chosen company and a typed code belong to the former email, so they are removed.
  const forgetAnswers = () => {
    setChoice([])
    setCompanyId('')
    setNeedsCode(false)
    setCode('')
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void signIn()
  }

  return (
    <Form onSubmit={submit}>
      <Stack>
        {error !== undefined && <RefusalNotice error={error} />}
        <TextField
          name="email"
          label={texts.email}
          type="email"
          autoComplete="username"
          required
          readOnly={again !== undefined}
          autoFocus={again === undefined}
          value={email}
          onChange={(event) => {
            setEmail(event.currentTarget.value)
            forgetAnswers()
          }}
        />
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
        {needsCode && <CodeInput code={code} onChange={setCode} />}
        {choice.length > 0 && (
          <Radio.Group label={texts.whichCompany} value={companyId} onChange={setCompanyId}>
            <Stack gap="xs" mt="xs">
              {choice.map((company) => (
                <Radio
                  key={company.id}
                  value={company.id}
                  label={<bdi className="foreign">{company.name}</bdi>}
                />
              ))}
            </Stack>
          </Radio.Group>
        )}
        <Button type="submit" loading={isBusy}>
          {texts.signIn}
        </Button>
      </Stack>
    </Form>
  )
}

function CodeInput({ code, onChange }: { code: string; onChange: (code: string) => void }) {
  return (
    <TextField
      name="code"
      label={texts.codeOfYourAuthenticator}
      description={texts.codeHow}
      autoComplete="one-time-code"
      required
      autoFocus
      value={code}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
