//! Which versions of agents there are, asked once the daemon serves: an agent's
//! program may take a second to say, and nobody should wait for that.

use std::{collections::BTreeMap, sync::Arc};

use baton_server::Api;
use baton_session::agents::AgentKind;
use tokio_util::sync::CancellationToken;

use crate::{commands::claude_version, setup::Setup};

pub(super) async fn ask(setup: Setup, api: Arc<Api>, cancel: CancellationToken) {
    let asking = async {
        let mut versions = BTreeMap::from([(AgentKind::Demo, super::VERSION.to_owned())]);
        versions.extend(
            claude_version(&setup)
                .await
                .map(|told| (AgentKind::Claude, told)),
        );
        versions
    };
    let told = cancel.run_until_cancelled(asking).await;
    api.tell_versions(told.unwrap_or_default());
}
