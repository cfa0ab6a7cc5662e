//! Which versions of agents there are, asked once the daemon serves: an agent's
//! program may take a second to say, and nobody should wait for that.

use std::{collections::BTreeMap, sync::Arc};

use baton_server::Api;
use baton_session::agents::AgentKind;
use tokio_util::sync::CancellationToken;

use crate::setup::Setup;

pub(super) async fn ask(setup: Setup, api: Arc<Api>, cancel: CancellationToken) {
    let asking = async {
        let mut versions = BTreeMap::new();
        for kind in AgentKind::ALL {
            // What is a part of this program is as old as it.
            let is_here = setup.agents.program(*kind) == Some(&setup.agents.baton);
            let ours = is_here.then(|| super::VERSION.to_owned());
            let told = match ours {
                None => setup.agents.version(*kind).await,
                ours => ours,
            };
            versions.extend(told.map(|told| (*kind, told)));
        }
        versions
    };
    let told = cancel.run_until_cancelled(asking).await;
    api.tell_versions(told.unwrap_or_default());
}
