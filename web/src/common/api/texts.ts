export const texts = {
  // refusal.ts
  noReason: ({ status }: { status: string }) => `The answer was ${status}, without a reason.`,

  // client.ts
  otherUser: ({ email }: { email: string }) =>
    `${email} signed in meanwhile, in another tab. Nothing was sent.`,

  // describe-refusal.ts
  correctTheForm: 'Please correct the form',
  notPossibleNow: 'Not possible at the moment',
  didNotMatch: 'That did not match',
  secondFactorLocked: 'Your second factor is locked',
  signedOut: 'You are signed out',
  somebodyElseSignedIn: 'Somebody else is signed in now',
  pageOutOfDate: 'This page is out of date',
  passwordNeeded: 'Your password is needed',
  roleForbids: 'Your role does not allow this',
  notFound: 'Not found',
  conflict: 'Somebody was faster, or a limit is reached',
  changedMeanwhile: 'Changed meanwhile',
  tooManyRequests: 'Too many requests',
  serviceNotReady: 'The service is not ready',
  noConnection: 'No connection',
  noAnswer: 'The console got no answer. What you typed is still here: try again.',
  serviceFault: 'The service has a fault',
  refused: 'Refused',
  mayBeDeleted: ({ message }: { message: string }) =>
    `${message} It may have been deleted, or belong to another company.`,
  consoleFault: 'The console has a fault',
}
