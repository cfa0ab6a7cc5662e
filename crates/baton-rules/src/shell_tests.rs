use expect_test::{Expect, expect};

use super::*;
