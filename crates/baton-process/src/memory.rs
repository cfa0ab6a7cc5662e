//! How this program's allocator gives memory back.

/// Makes large blocks go back to the system as soon as they are freed.
///
/// The allocator of glibc raises its idea of "large" with each such block it
/// frees, so that a single long answer makes it keep megabytes for ever.
/// A process calls this once, when it begins.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(
    unsafe_code,
    reason = "the allocator's settings can be reached in no safe way"
)]
pub fn give_back_large_blocks() {
    const LARGE: i32 = 128 * 1024;
    // SAFETY: it only sets a number in the allocator, which takes its own lock.
    // When it is refused, memory is kept as before.
    unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE) };
}

/// Other allocators do so by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub const fn give_back_large_blocks() {}
