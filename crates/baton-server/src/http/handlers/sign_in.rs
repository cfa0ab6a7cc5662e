//! Signing in and out, and who is signed in.

use std::time::Duration;

use baton_protocol::{
    DeviceId,
    api::{
        Device, Devices, LinkAnswer, LinkBody, ListPart, LoginAnswer, LoginBody, Problem,
        ProblemCode, ShareAnswer, ShareBody,
    },
    words::AccessScope,
};

use axum::http::{HeaderValue, header};

use super::super::{
    answer::{self, Answer, Answered, Nothing, Reply},
    input::{JsonBody, Query},
    route::{Call, Replies},
};
use crate::{
    api::part_of,
    auth::{LoginSecret, SHARE_LIFE},
    problem::Told as _,
};

/// A login: a token, or a problem that says when to try again.
pub(crate) struct LoggedIn(Reply);

impl Answer for LoggedIn {
    fn replies() -> Vec<Replies> {
        Answered::<LoginAnswer>::replies()
    }

    fn reply(self) -> Reply {
        self.0
    }
}

pub(crate) async fn login(
    call: Call,
    JsonBody(body): JsonBody<LoginBody>,
) -> Result<LoggedIn, Problem> {
    let name = body.name.clone();
    let secret = LoginSecret::try_from(body).map_err(Problem::from)?;
    let signed = call.site.api.auth().login(call.peer, secret, name).await;
    match signed {
        Ok(login) => {
            let answer = LoginAnswer {
                token: login.token,
                device: login.device,
            };
            Ok(LoggedIn(Answered::<_>::of(&answer).reply()))
        }
        Err(error) => {
            let wait = error.retry_after();
            let mut reply = answer::problem(&error.into());
            if let Some(wait) = wait {
                let value = HeaderValue::from(wait);
                reply.headers_mut().insert(header::RETRY_AFTER, value);
            }
            Ok(LoggedIn(reply))
        }
    }
}

pub(crate) async fn logout(call: Call, (): ()) -> Result<Nothing, Problem> {
    call.site.api.auth().logout(call.signed()?).await.told()?;
    Ok(Nothing)
}

pub(crate) async fn make_link(
    call: Call,
    JsonBody(body): JsonBody<LinkBody>,
) -> Result<Answered<LinkAnswer, 201>, Problem> {
    let scope = body.scope.unwrap_or(AccessScope::Operate);
    let api = &call.site.api;
    let link = api.auth().make_link(call.signed()?, scope).await;
    let link = link.map_err(Problem::from)?;
    Ok(Answered::of(&LinkAnswer {
        url: api.url().map(|url| link.url(url)),
        link: link.secret,
        scope: link.scope,
        expires_at: link.expires_at,
    }))
}

/// The longest that a link may show a session, in hours: 30 days.
const MOST_HOURS: u32 = 720;

pub(crate) async fn share(
    call: Call,
    JsonBody(body): JsonBody<ShareBody>,
) -> Result<Answered<ShareAnswer, 201>, Problem> {
    let session = call.session().await?;
    let life = match body.hours {
        None => SHARE_LIFE,
        Some(hours @ 1..=MOST_HOURS) => Duration::from_secs(u64::from(hours) * 60 * 60),
        Some(_) => {
            let detail = format!("it is between 1 and {MOST_HOURS}");
            return Err(Problem::invalid("hours", detail));
        }
    };
    let api = &call.site.api;
    let title = api.session_row(session).await?.title;
    let by = call.signed()?;
    let share = api.auth().share(by, session, title.as_deref(), life).await;
    let share = share.map_err(Problem::from)?;
    Ok(Answered::of(&ShareAnswer {
        url: api.url().map(|url| share.url(url)),
        token: share.token,
        device: share.device,
    }))
}

pub(crate) async fn devices(
    call: Call,
    Query(part): Query<ListPart>,
) -> Result<Answered<Devices>, Problem> {
    let all = call.site.api.auth().devices(call.signed()?);
    let part = part_of(all, &part, |device: &Device| device.id.to_string())?;
    Ok(Answered::of(&part))
}

pub(crate) async fn revoke(call: Call, (): ()) -> Result<Nothing, Problem> {
    let id: DeviceId = call.param("deviceId")?;
    let known = call.site.api.auth().revoke(id).await;
    if known.told()? {
        return Ok(Nothing);
    }
    let detail = format!("no device {id} is signed in");
    Err(Problem::new(ProblemCode::NotFound, detail))
}
