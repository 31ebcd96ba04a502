// Written by `npm run wire-types`, of the schemas in src/: change those, and run it again.

export type Role = 'admin' | 'member';

export type Environment = 'live' | 'test';

export type Permission = 'keys.read' | 'keys.create' | 'keys.update' | 'keys.rotate' | 'keys.revoke' | 'keys.any' | 'webhooks.read' | 'webhooks.test' | 'webhooks.write' | 'webhooks.regenerate_secret' | 'webhooks.reveal_headers' | 'deliveries.read' | 'deliveries.retry' | 'deliveries.resend' | 'deliveries.recover' | 'events.read' | 'events.send' | 'notices.read' | 'notices.mark' | 'notices.write' | 'channels.read' | 'channels.write' | 'users.read' | 'users.create' | 'users.update' | 'users.remove' | 'audit.read' | 'filters.read' | 'filters.write' | 'company.update';

export type SignedIn = {
    state: 'signed_in';
    csrf_token: string;
    address: string;
    user: {
        id: string;
        email: string;
        name: string;
        role: Role;
        allowed_scopes: ReadonlyArray<string>;
        totp_enabled: boolean;
        totp_locked_at: string | null;
        recovery_codes_left: number;
    };
    company: {
        id: string;
        name: string;
        suspended_at: string | null;
        second_factor_required: boolean;
    };
    second_factor_missing: boolean;
    environments: ReadonlyArray<Environment>;
    permissions: ReadonlyArray<Permission>;
    grantable_scopes: ReadonlyArray<string>;
    reauthenticated_until: string;
    expires_at: string;
    idle_expires_at: string;
    settings: {
        scopes: ReadonlyArray<{
            name: string;
            description: string;
        }>;
        rotation_graces: ReadonlyArray<{
            name: string;
            seconds: number;
        }>;
        retry_schedule: ReadonlyArray<number>;
        key_prefix: string;
        public_url: string;
        temporal_namespace: string;
        temporal_ui_url: string | null;
        sends_mail: boolean;
    };
};

export type Session = {
    state: 'signed_out';
    csrf_token: string;
    address: string;
} | SignedIn;

export type SignIn = {
    email: string;
    password: string;
    code?: string;
    company_id?: string;
};

export type ChooseCompany = {
    state: 'choose_company';
    companies: ReadonlyArray<{
        id: string;
        name: string;
    }>;
};

export type ShownLink = {
    kind: 'invitation' | 'password';
    company_name: string;
    email: string;
    expires_at: string;
};

export type UseLink = {
    token: string;
    email: string;
    password: string;
    name?: string;
};

export type TotpSecret = {
    secret: string;
    otpauth_url: string;
};

export type NewRecoveryCodes = {
    recovery_codes: ReadonlyArray<string>;
};

export type TotpRemoved = {
    totp_enabled: false;
};

export type OwnSessions = {
    sessions: ReadonlyArray<{
        id: string;
        browser: string;
        began_at: string;
        seen_at: string;
        ip: string | null;
        is_current: boolean;
    }>;
};

export type EndedSessions = {
    ended: number;
};

export type Deleted = {
    deleted: boolean;
};

export type WebhookSecret = {
    id: string;
    secret: string;
};

export type Delivery = {
    id: string;
    webhook_id: string;
    event_type: 'contact.created' | 'contact.updated' | 'contact.deleted' | 'organization.created' | 'organization.updated' | 'organization.deleted' | 'deal.created' | 'deal.updated' | 'deal.stage_changed' | 'deal.deleted' | 'activity.created' | 'task.created' | 'task.completed' | 'test.webhook';
    event_id: string;
    record: string | null;
    record_name: string | null;
    is_test: boolean;
    status: 'pending' | 'success' | 'retrying' | 'failed';
    response_code: number | null;
    response_body: string | null;
    error: string | null;
    attempts: number;
    max_attempts: number;
    request_duration_ms: number | null;
    created_at: string;
    delivered_at?: string;
    next_retry_at?: string | null;
    held_reason: string | null;
    resend_of: string | null;
    payload?: {
        [key: string]: unknown;
    };
};

export type Pagination = {
    total: number;
    limit: number;
    page: number;
    has_more: boolean;
};

export type CursorPagination = {
    limit: number;
    has_more: boolean;
    next_cursor: string | null;
};

export type Searched = {
    since: string | null;
    until: string;
    searched_since: string | null;
    examined: number;
    complete: boolean;
};

export type Attempt = {
    number: number;
    started_at: string;
    duration_ms: number;
    dns_ms: number | null;
    connect_ms: number | null;
    tls_ms: number | null;
    first_byte_ms: number | null;
    response_code: number | null;
    response_headers: {
        [key: string]: string;
    } | null;
    response_headers_cut: boolean;
    response_body: string | null;
    error: string | null;
    location: string | null;
    trigger: 'scheduled' | 'manual' | 'test' | 'recovery';
    made_by: string | null;
};

export type DeliveryDetail = {
    id: string;
    webhook_id: string;
    event_type: 'contact.created' | 'contact.updated' | 'contact.deleted' | 'organization.created' | 'organization.updated' | 'organization.deleted' | 'deal.created' | 'deal.updated' | 'deal.stage_changed' | 'deal.deleted' | 'activity.created' | 'task.created' | 'task.completed' | 'test.webhook';
    event_id: string;
    record: string | null;
    record_name: string | null;
    is_test: boolean;
    status: 'pending' | 'success' | 'retrying' | 'failed';
    response_code: number | null;
    response_body: string | null;
    error: string | null;
    attempts: number;
    max_attempts: number;
    request_duration_ms: number | null;
    created_at: string;
    delivered_at?: string;
    next_retry_at?: string | null;
    held_reason: string | null;
    resend_of: string | null;
    payload?: {
        [key: string]: unknown;
    };
    attempt_log: ReadonlyArray<Attempt>;
};

export type TestEventInput = {
    event?: 'contact.created' | 'contact.updated' | 'contact.deleted' | 'organization.created' | 'organization.updated' | 'organization.deleted' | 'deal.created' | 'deal.updated' | 'deal.stage_changed' | 'deal.deleted' | 'activity.created' | 'task.created' | 'task.completed';
    data?: {
        [key: string]: unknown;
    };
    subject?: string;
    revision?: number;
    previous?: {
        [key: string]: unknown;
    };
};

export type TestResult = {
    success: boolean;
    delivery_id: string;
    response_code: number | null;
    response_body: string | null;
    error: string | null;
    duration_ms: number;
};

export type RetryResult = {
    success: boolean;
    message: string;
};

export type RecoveryInput = {
    since: string;
    until?: string;
    status?: 'failed' | 'missed';
    force?: boolean;
};

export type Recovery = {
    id: string;
    webhook_id: string;
    recovers: 'failed' | 'missed';
    status: 'queued' | 'running' | 'done' | 'cancelled';
    stopped_reason: string | null;
    waits_for: string | null;
    total: number | null;
    queued: number;
    since: string;
    until: string;
    created_at: string;
    ended_at: string | null;
};

export type AttemptFigures = {
    attempts: number;
    successes: number;
    failures: number;
    by_class: {
        '2xx': number;
        '3xx': number;
        '4xx': number;
        '5xx': number;
        none: number;
    };
    by_error: {
        [key: string]: number;
    };
    p50_ms: number | null;
    p95_ms: number | null;
    p99_ms: number | null;
};

export type AttemptFiguresAt = {
    starts_at: string;
    attempts: number;
    successes: number;
    failures: number;
    by_class: {
        '2xx': number;
        '3xx': number;
        '4xx': number;
        '5xx': number;
        none: number;
    };
    by_error: {
        [key: string]: number;
    };
    p50_ms: number | null;
    p95_ms: number | null;
    p99_ms: number | null;
};

export type WebhookStats = {
    window: '24h' | '7d' | '30d';
    unit: 'hour' | 'day';
    since: string;
    until: string;
    totals: AttemptFigures;
    series: ReadonlyArray<AttemptFiguresAt>;
};

export type EventType = {
    name: 'contact.created' | 'contact.updated' | 'contact.deleted' | 'organization.created' | 'organization.updated' | 'organization.deleted' | 'deal.created' | 'deal.updated' | 'deal.stage_changed' | 'deal.deleted' | 'activity.created' | 'task.created' | 'task.completed';
    family: string;
    description: string;
    example: {
        [key: string]: unknown;
    };
    schema_url: string;
};

export type Event = {
    id: string;
    event: 'contact.created' | 'contact.updated' | 'contact.deleted' | 'organization.created' | 'organization.updated' | 'organization.deleted' | 'deal.created' | 'deal.updated' | 'deal.stage_changed' | 'deal.deleted' | 'activity.created' | 'task.created' | 'task.completed' | 'test.webhook';
    created_at: string;
    record: string | null;
    record_name: string | null;
    deliveries: number;
    payload?: {
        [key: string]: unknown;
    };
};

export type Publisher = {
    type: 'key' | 'user' | 'cli';
    id: string | null;
    name: string | null;
    via: 'event' | 'record' | 'test';
} | null;

export type EventReach = {
    webhook_id: string;
    delivery_id: string | null;
    reason: 'delivered_to' | 'sent_by_hand' | 'type_not_subscribed' | 'filter' | 'inactive';
};

export type EventDetail = {
    id: string;
    event: 'contact.created' | 'contact.updated' | 'contact.deleted' | 'organization.created' | 'organization.updated' | 'organization.deleted' | 'deal.created' | 'deal.updated' | 'deal.stage_changed' | 'deal.deleted' | 'activity.created' | 'task.created' | 'task.completed' | 'test.webhook';
    created_at: string;
    record: string | null;
    record_name: string | null;
    payload: {
        [key: string]: unknown;
    };
    published_by: Publisher;
    deliveries: ReadonlyArray<Delivery>;
    webhooks: ReadonlyArray<EventReach>;
};

export type WebhookHealth = {
    state: 'healthy' | 'failing' | 'disabled';
    failing_since: string | null;
    consecutive_failures: number;
    last_success_at: string | null;
    last_error: string | null;
    waiting: number;
};

export type Webhook = {
    id: string;
    name: string;
    description: string | null;
    url: string;
    events: ReadonlyArray<'contact.created' | 'contact.updated' | 'contact.deleted' | 'organization.created' | 'organization.updated' | 'organization.deleted' | 'deal.created' | 'deal.updated' | 'deal.stage_changed' | 'deal.deleted' | 'activity.created' | 'task.created' | 'task.completed'>;
    is_active: boolean;
    max_retries: number;
    retry_schedule?: ReadonlyArray<number>;
    filter?: {
        [key: string]: unknown;
    };
    send_traceparent?: boolean;
    created_at: string;
    deactivated_reason: string | null;
    total_deliveries: number;
    successful_deliveries: number;
    failed_deliveries: number;
    last_triggered_at: string | null;
    health: WebhookHealth;
    updated_at: string;
    headers: {
        [key: string]: string | null;
    };
};

export type WebhookInput = {
    name: string;
    url: string;
    events: ReadonlyArray<'contact.created' | 'contact.updated' | 'contact.deleted' | 'organization.created' | 'organization.updated' | 'organization.deleted' | 'deal.created' | 'deal.updated' | 'deal.stage_changed' | 'deal.deleted' | 'activity.created' | 'task.created' | 'task.completed'>;
    description?: string | null;
    headers?: {
        [key: string]: string;
    };
    is_active?: boolean;
    max_retries?: number;
    retry_schedule?: ReadonlyArray<number> | null;
    filter?: {
        [key: string]: unknown;
    } | null;
    send_traceparent?: boolean;
};

export type CreatedWebhook = {
    id: string;
    name: string;
    description: string | null;
    url: string;
    events: ReadonlyArray<'contact.created' | 'contact.updated' | 'contact.deleted' | 'organization.created' | 'organization.updated' | 'organization.deleted' | 'deal.created' | 'deal.updated' | 'deal.stage_changed' | 'deal.deleted' | 'activity.created' | 'task.created' | 'task.completed'>;
    is_active: boolean;
    max_retries: number;
    retry_schedule?: ReadonlyArray<number>;
    filter?: {
        [key: string]: unknown;
    };
    send_traceparent?: boolean;
    created_at: string;
    secret: string;
    headers: {
        [key: string]: string | null;
    };
};

export type WebhookChange = {
    name?: string;
    description?: string | null;
    url?: string;
    events?: ReadonlyArray<'contact.created' | 'contact.updated' | 'contact.deleted' | 'organization.created' | 'organization.updated' | 'organization.deleted' | 'deal.created' | 'deal.updated' | 'deal.stage_changed' | 'deal.deleted' | 'activity.created' | 'task.created' | 'task.completed'>;
    is_active?: boolean;
    max_retries?: number;
    retry_schedule?: ReadonlyArray<number> | null;
    filter?: {
        [key: string]: unknown;
    } | null;
    send_traceparent?: boolean;
    headers?: {
        [key: string]: string | null;
    };
};

export type WebhookHeaders = {
    id: string;
    headers: {
        [key: string]: string;
    };
};

export type KeyType = 'Personal' | 'Shared';

export type KeyState = 'active' | 'disabled' | 'in_rotation' | 'expired' | 'revoked';

export type Key = {
    id: string;
    name: string;
    prefix: string;
    description: string | null;
    user_id: string | null;
    user_name: string | null;
    rotated_to: string | null;
    last_used_ip: string | null;
    scopes: ReadonlyArray<string>;
    ip_allowlist: ReadonlyArray<string>;
    type: KeyType;
    environment: 'live' | 'test';
    state: KeyState;
    is_active: boolean;
    replaces: {
        id: string;
        expires_at: string;
    } | null;
    expires_at: string | null;
    revoked_at: string | null;
    last_used_at: string | null;
    created_at: string;
    version: string;
    request_count: number;
    usage: {
        day: number;
        week: number;
        month: number;
        daily: ReadonlyArray<{
            date: string;
            requests: number;
        }>;
    };
};

export type RecentUse = {
    last_hour: number;
    daily: ReadonlyArray<{
        date: string;
        requests: number;
        responses_2xx: number;
        responses_4xx: number;
        responses_5xx: number;
    }>;
    endpoints: ReadonlyArray<{
        method: string;
        path: string;
        last_used_at: string;
    }>;
    addresses: ReadonlyArray<{
        address: string;
        last_used_at: string;
    }>;
};

export type NewKey = {
    name: string;
    description?: string | null;
    scopes: ReadonlyArray<string>;
    ip_allowlist?: ReadonlyArray<string> | string;
    expires_at?: string | null;
    type: 'Personal' | 'Shared';
    user_id?: string;
};

export type CreatedKey = {
    id: string;
    name: string;
    prefix: string;
    description: string | null;
    user_id: string | null;
    user_name: string | null;
    rotated_to: string | null;
    last_used_ip: string | null;
    scopes: ReadonlyArray<string>;
    ip_allowlist: ReadonlyArray<string>;
    type: KeyType;
    environment: 'live' | 'test';
    state: KeyState;
    is_active: boolean;
    replaces: {
        id: string;
        expires_at: string;
    } | null;
    expires_at: string | null;
    revoked_at: string | null;
    last_used_at: string | null;
    created_at: string;
    version: string;
    request_count: number;
    usage: {
        day: number;
        week: number;
        month: number;
        daily: ReadonlyArray<{
            date: string;
            requests: number;
        }>;
    };
    key: string;
};

export type KeyChange = {
    name?: string;
    description?: string | null;
    scopes?: ReadonlyArray<string>;
    ip_allowlist?: ReadonlyArray<string> | string;
    expires_at?: string | null;
    is_active?: boolean;
};

export type RotatedKey = {
    id: string;
    name: string;
    prefix: string;
    description: string | null;
    user_id: string | null;
    user_name: string | null;
    rotated_to: string | null;
    last_used_ip: string | null;
    scopes: ReadonlyArray<string>;
    ip_allowlist: ReadonlyArray<string>;
    type: KeyType;
    environment: 'live' | 'test';
    state: KeyState;
    is_active: boolean;
    replaces: {
        id: string;
        expires_at: string;
    } | null;
    expires_at: string | null;
    revoked_at: string | null;
    last_used_at: string | null;
    created_at: string;
    version: string;
    request_count: number;
    usage: {
        day: number;
        week: number;
        month: number;
        daily: ReadonlyArray<{
            date: string;
            requests: number;
        }>;
    };
    key: string;
    old_key_id: string;
    old_expires_at: string;
};

export type Attention = {
    webhooks: number;
    unwell: number;
    waiting: number;
    open_notices: number;
    unwell_webhooks: ReadonlyArray<Webhook>;
    expiring_keys: ReadonlyArray<Key>;
};

export type WebhookName = {
    id: string;
    name: string;
    events: ReadonlyArray<string>;
};

export type WebhookActivity = {
    webhook_id: string;
    health: {
        state: 'healthy' | 'failing' | 'disabled';
        waiting: number;
    };
    attempts: number;
    successes: number;
    failures: number;
    p95_ms: number | null;
    series: ReadonlyArray<{
        starts_at: string;
        attempts: number;
        successes: number;
        failures: number;
    }>;
};

export type AuditEntry = {
    id: string;
    created_at: string;
    actor: {
        id: string;
        name: string | null;
    };
    action: string;
    target: {
        id: string;
        name: string | null;
    };
    summary: string;
    changes: ReadonlyArray<{
        field: string;
        before: unknown;
        after: unknown;
    }>;
    details: {
        [key: string]: unknown;
    };
    ip: string | null;
};

export type AllowlistVerdict = {
    allowed: boolean | null;
    entries: ReadonlyArray<string>;
    faults: ReadonlyArray<{
        line: number;
        text: string;
        message: string;
    }>;
};

export type StartedRecovery = {
    id: string;
    webhook_id: string;
    recovers: 'failed' | 'missed';
    status: 'queued' | 'running' | 'done' | 'cancelled';
    stopped_reason: string | null;
    waits_for: string | null;
    total: number | null;
    queued: number;
    since: string;
    until: string;
    created_at: string;
    ended_at: string | null;
    started_by: {
        id: string;
        name: string | null;
    } | null;
};

export type Recoverable = {
    recovers: 'failed' | 'missed';
    since: string;
    until: string;
    total: number | null;
    counted_at_most: number;
};

export type Missed = {
    pause: {
        starts_at: string;
        ends_at: string | null;
    } | null;
    recoverable: Recoverable | null;
};

export type TypedFaults = {
    faults: {
        [key: string]: string;
    };
};

export type FilterExample = {
    event_id: string;
    matched: boolean;
    because: string;
};

export type FilterPreview = {
    examined: number;
    matched: number;
    examples: ReadonlyArray<FilterExample>;
};

export type User = {
    id: string;
    email: string;
    name: string;
    role: Role;
    allowed_scopes: ReadonlyArray<string>;
    totp_enabled: boolean;
    totp_locked_at: string | null;
    created_at: string;
    is_self: boolean;
};

export type ChangedUser = {
    id: string;
    email: string;
    name: string;
    role: Role;
    allowed_scopes: ReadonlyArray<string>;
    totp_enabled: boolean;
    totp_locked_at: string | null;
    created_at: string;
    is_self: boolean;
    disabled_keys: number;
};

export type IssuedLink = {
    id: string;
    email: string;
    expires_at: string;
    link: string | null;
};

export type RemovedUser = {
    removed: true;
    revoked_keys: number;
};

export type FilteredPage = 'deliveries' | 'events';

export type SavedFilter = {
    id: string;
    name: string;
    query: string;
    page: FilteredPage;
    created_at: string;
};

export type NewSavedFilter = {
    name: string;
    page: 'deliveries' | 'events';
    query: string;
};

export type Invitation = {
    id: string;
    email: string;
    role: Role;
    allowed_scopes: ReadonlyArray<string>;
    invited_by: {
        id: string;
        name: string | null;
    };
    created_at: string;
    expires_at: string;
    is_expired: boolean;
    mail: 'waiting' | 'sent' | 'failed' | null;
};

export type NewInvitation = {
    email: string;
    role: 'admin' | 'member';
    allowed_scopes?: ReadonlyArray<string>;
};

export type RevokedInvitation = {
    revoked: true;
};

export type CompanyRules = {
    second_factor_required: boolean;
};

export type Notice = {
    id: string;
    kind: 'webhook_failing' | 'webhook_disable_warning' | 'webhook_disabled' | 'webhook_gone' | 'webhook_backlog' | 'deliveries_failed' | 'key_expires_in_7_days' | 'key_expires_in_1_day' | 'key_grace_ends_in_1_day' | 'channel_off';
    webhook_id: string | null;
    key_id: string | null;
    name: string | null;
    message: string;
    at: string | null;
    error: string | null;
    count: number | null;
    created_at: string;
    done_at: string | null;
    done_by: string | null;
    done_by_name: string | null;
    done_for_me: boolean;
};

export type NoticesDone = {
    done_up_to: string;
};

export type OpenNotices = {
    open_notices: number;
};

export type NoticeDone = {
    done: boolean;
};

export type ChannelKind = 'email' | 'slack' | 'https';

export type Channel = {
    id: string;
    kind: ChannelKind;
    name: string | null;
    target: string;
    state: 'unconfirmed' | 'active' | 'off' | 'paused';
    notice_kinds: ReadonlyArray<'webhook_failing' | 'webhook_disable_warning' | 'webhook_disabled' | 'webhook_gone' | 'webhook_backlog' | 'deliveries_failed' | 'key_expires_in_7_days' | 'key_expires_in_1_day' | 'key_grace_ends_in_1_day' | 'channel_off'> | null;
    pause_seconds: number;
    failing_since: string | null;
    last_sent_at: string | null;
    last_test_at: string | null;
    last_test_arrived: boolean | null;
    last_error: string | null;
    created_at: string;
    version: number;
};

export type NewChannel = {
    name?: string | null;
    target: string;
    notice_kinds?: ReadonlyArray<'webhook_failing' | 'webhook_disable_warning' | 'webhook_disabled' | 'webhook_gone' | 'webhook_backlog' | 'deliveries_failed' | 'key_expires_in_7_days' | 'key_expires_in_1_day' | 'key_grace_ends_in_1_day' | 'channel_off'> | null;
    pause_seconds?: number;
    kind: 'email' | 'slack' | 'https';
};

export type CreatedChannel = {
    id: string;
    kind: ChannelKind;
    name: string | null;
    target: string;
    state: 'unconfirmed' | 'active' | 'off' | 'paused';
    notice_kinds: ReadonlyArray<'webhook_failing' | 'webhook_disable_warning' | 'webhook_disabled' | 'webhook_gone' | 'webhook_backlog' | 'deliveries_failed' | 'key_expires_in_7_days' | 'key_expires_in_1_day' | 'key_grace_ends_in_1_day' | 'channel_off'> | null;
    pause_seconds: number;
    failing_since: string | null;
    last_sent_at: string | null;
    last_test_at: string | null;
    last_test_arrived: boolean | null;
    last_error: string | null;
    created_at: string;
    version: number;
    secret: string | null;
};

export type ChannelChange = {
    name?: string | null;
    target?: string;
    notice_kinds?: ReadonlyArray<'webhook_failing' | 'webhook_disable_warning' | 'webhook_disabled' | 'webhook_gone' | 'webhook_backlog' | 'deliveries_failed' | 'key_expires_in_7_days' | 'key_expires_in_1_day' | 'key_grace_ends_in_1_day' | 'channel_off'> | null;
    pause_seconds?: number;
    is_active?: boolean;
};

export type ChannelTest = {
    success: boolean;
    answer: string;
};

export type RemovedChannel = {
    removed: true;
};
