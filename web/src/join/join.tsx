import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useState, type SubmitEvent } from 'react'
import { useLocation } from 'wouter'
import { faultsByField } from '../common/api/describe-refusal.ts'
import type { ShownLink } from '../common/api/wire.ts'
import { FrontPage } from '../common/layout/front-page.tsx'
import { useClient } from '../common/session/context.ts'
import { ButtonLink } from '../common/ui/button-link.tsx'
import { Loaded } from '../common/ui/loaded.tsx'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import { SHOW_PASSWORD } from '../sign-in/sign-in-form.tsx'
import { Form } from '../common/ui/form.tsx'
import { PasswordField, TextField } from '../common/ui/fields.tsx'
import { texts } from './texts.ts'

/**
 * The page of a link: an invitation, or a new password. The token stands after the # of the address, which browsers do not
 * send to servers.
 */
export default function Join() {
  const client = useClient()
  // The number tells the links of one tab apart, so that no token is used as a key of a component.
  const [{ number, token }, setOpened] = useState(() => ({ number: 1, token: tokenInAddress() }))
  useEffect(() => {
    document.title = texts.tabTitle
    removeToken()
    // If the user opens another link in the same tab, only the part after the # changes. Then the browser does not load the
    // page again.
    const onHash = () => {
      const next = tokenInAddress()
      if (next === '') return
      removeToken()
      setOpened((former) => ({ number: former.number + 1, token: next }))
    }
    window.addEventListener('hashchange', onHash)
    return () => window.removeEventListener('hashchange', onHash)
  }, [])
  const link = useQuery({
    queryKey: ['link', number],
    queryFn: () => client.showLink(token),
    enabled: token !== '',
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
  })
  return (
    <FrontPage>
      {token === '' && <Text>{texts.linkIsCut}</Text>}
      {token !== '' && !link.error && (
        <Loaded reading={link}>{(shown) => <JoinForm key={number} token={token} link={shown} />}</Loaded>
      )}
      {link.error && <RefusalNotice error={link.error} />}
      {(token === '' || link.error) && (
        <Group mt="md">
          <ButtonLink href="/">{texts.toTheSignIn}</ButtonLink>
        </Group>
      )}
    </FrontPage>
  )
}

const tokenInAddress = (): string => window.location.hash.slice(1)

/** Removes the token from the address, so that it does not stay in the history of the browser. */
const removeToken = (): void => window.history.replaceState(null, '', window.location.pathname)

const FIELDS = ['email', 'name', 'password']

function JoinForm({ token, link }: { token: string; link: ShownLink }) {
  const client = useClient()
  const [, navigate] = useLocation()
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const isInvitation = link.kind === 'invitation'
  const joining = useMutation({
    mutationFn: () => client.useLink({ token, email, password, ...(isInvitation && { name }) }),
    gcTime: 0,
    onSuccess: () => navigate('/', { replace: true }),
  })
  const faults = faultsByField(joining.error, FIELDS)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    joining.mutate()
  }
  return (
    <Form onSubmit={submit}>
      <Stack>
        <Title order={1}>
          {(isInvitation ? texts.join : texts.newPasswordFor)({ company: link.company_name })}
        </Title>
        <Text c="dimmed">{texts.sentTo({ email: link.email })}</Text>
        {joining.error && Object.keys(faults).length === 0 && <RefusalNotice error={joining.error} />}
        <TextField
          name="email"
          label={texts.email}
          type="email"
          autoComplete="username"
          required
          autoFocus
          value={email}
          error={faults['email']}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        {isInvitation && (
          <TextField
            name="name"
            label={texts.name}
            autoComplete="name"
            required
            maxLength={255}
            value={name}
            error={faults['name']}
            onChange={(event) => setName(event.currentTarget.value)}
          />
        )}
        <PasswordField
          name="password"
          label={texts.password}
          description={texts.passwordHow}
          autoComplete="new-password"
          required
          visibilityToggleButtonProps={SHOW_PASSWORD}
          value={password}
          error={faults['password']}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Button type="submit" loading={joining.isPending}>
          {isInvitation ? texts.joinNow : texts.setPassword}
        </Button>
      </Stack>
    </Form>
  )
}
