//! How this program gives memory back.

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

/// Gives back what is mapped of the program's own file.
///
/// A start runs a lot of code that nothing runs again, and the system maps
/// what lies around it too. What is still needed comes back from the system's
/// cache page by page as it is used. A process that stays calls this once it
/// has started.
#[cfg(target_os = "linux")]
#[expect(
    unsafe_code,
    reason = "where the program lies in memory can be asked and said in no safe way"
)]
pub fn give_back_the_start() {
    /// Gets the program itself first, then its libraries, which others share.
    unsafe extern "C" fn give_back(
        info: *mut libc::dl_phdr_info,
        _size: libc::size_t,
        page: *mut libc::c_void,
    ) -> libc::c_int {
        // SAFETY: the system passes a description that is valid in this call,
        // and what the caller gave, which points to the size of a page.
        let (info, page) = unsafe { (&*info, *page.cast::<usize>()) };
        // SAFETY: the program's headers lie there, that many.
        let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
        for header in headers {
            // What may be written has been changed since it was read.
            if header.p_type != libc::PT_LOAD || header.p_flags & libc::PF_W != 0 {
                continue;
            }
            let (Ok(begin), Ok(length)) = (
                usize::try_from(info.dlpi_addr + header.p_vaddr),
                usize::try_from(header.p_filesz),
            ) else {
                continue;
            };
            let from = begin.next_multiple_of(page);
            let length = (begin + length).saturating_sub(from) / page * page;
            // SAFETY: whole pages of a mapping that is never written, so that
            // the file still has the same. A refusal changes nothing.
            unsafe {
                libc::madvise(
                    std::ptr::with_exposed_provenance_mut(from),
                    length,
                    libc::MADV_DONTNEED,
                )
            };
        }
        // No library after it.
        1
    }
    let mut page = rustix::param::page_size();
    // SAFETY: the callback takes the pointer for what it is, and keeps nothing.
    unsafe { libc::dl_iterate_phdr(Some(give_back), (&raw mut page).cast()) };
}

/// Elsewhere it is left to the system.
#[cfg(not(target_os = "linux"))]
pub const fn give_back_the_start() {}
