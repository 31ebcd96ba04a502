export const texts = {
  // join.tsx
  tabTitle: 'Join · Console',
  join: ({ company }: { company: string }) => `Join ${company}`,
  newPasswordFor: ({ company }: { company: string }) => `A new password for ${company}`,
  sentTo: ({ email }: { email: string }) =>
    `The link was made for ${email}. Type the whole address, so that nobody else can use it.`,
  linkIsCut: 'The link is not whole. Open it again, with everything behind the #.',
  toTheSignIn: 'To the sign-in',
  email: 'Email',
  name: 'Your name',
  password: 'Your password',
  passwordHow: 'At least 8 characters; 15 or more are better. Nobody else learns it.',
  joinNow: 'Join',
  setPassword: 'Set password',
}
