import { Route, Switch } from 'wouter'
import { NoSuchPage } from '../common/ui/no-such-page.tsx'
import { Permitted } from '../common/ui/permitted.tsx'
import { InviteUser } from './invite-user.tsx'
import { UserDetail } from './user-detail.tsx'
import { UserList } from './user-list.tsx'
import { texts } from './texts.ts'

/** The users of the company. For admins. */
export default function Users() {
  return (
    <Switch>
      <Route path="/users" component={UserList} />
      <Route path="/users/new">
        <Permitted action="users.create" title={texts.inviteUser}>
          <InviteUser />
        </Permitted>
      </Route>
      <Route path="/users/:userId">{({ userId }) => <UserDetail key={userId} userId={userId} />}</Route>
      <Route component={NoSuchPage} />
    </Switch>
  )
}
