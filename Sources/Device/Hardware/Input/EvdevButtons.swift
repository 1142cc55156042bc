// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux
import SystemKit

/// The panel's buttons as keys of an event device. Keys that are no button are ignored. `ButtonOpener` makes
/// it.
///
/// With a name the device may be unplugged and come back, under another number too: what was held
/// is then released, and the folders in which its device file can appear are watched until it can
/// be opened again. It is also looked for ever more rarely, since a folder may not be there to be
/// watched, or the kernel may have no descriptor left. Without a name (a pipe) it is gone for good.
package final class EvdevButtons: ButtonSource {
    private var keys: EvdevKeys?
    /// Opens the device by its name; nil for a device that cannot come back.
    private let find: (() throws(SystemError) -> EvdevKeys)?
    private let folders: [String]
    /// Button numbers by key code.
    private let buttons: [UInt16: Int]
    /// The epoll of a device with a name. It is readable when the device is; while the device is gone, when a
    /// file has appeared that may be it.
    private let events: Descriptor?
    /// The descriptor of the keys, or of `events`, which stays the same while the device comes and goes.
    /// Owned by this object, so callers must not close it.
    package let descriptor: CInt
    /// An inotify that watches `folders` while the device is gone.
    private var arrivals: Descriptor?
    private var backoff = PollBackoff()
    private var debouncers: [Debouncer]
    /// The time of the last event or call. A loss has no time of its own and gets this one.
    private var latest = MonotonicTime.zero
    /// The device was lost, and `settle` has not released yet what was held.
    private var hasUnsettledLoss = false

    /// Why there are no presses now; nil while the device is there.
    package private(set) var fault: (any Error)?
    package private(set) var losses = 0
    /// How often the kernel's buffer overflowed (SYN_DROPPED); the keys' state was read again after
    /// each.
    package var overflows: Int { pastOverflows + (keys?.overflows ?? 0) }
    private var pastOverflows = 0
    private var missed = MissedEdges()

    /// Buttons by the codes of their keys, in the board's order, of a device that cannot come back.
    /// The kernel's own `gpio-keys` debounces already; a period is for contacts without debouncing.
    package init(_ keys: sending EvdevKeys, codes: [UInt16], debouncePeriod: Duration = .zero) {
        buttons = Self.buttons(codes)
        debouncers = Self.debouncers(codes, keys, debouncePeriod)
        self.keys = keys
        folders = []
        find = nil
        events = nil
        descriptor = keys.descriptor
    }

    /// Buttons of the device of that name, which must be there now but may come and go later.
    package init(_ name: InputDeviceName, codes: [UInt16], debouncePeriod: Duration = .zero) throws(SystemError) {
        let keys = try EvdevKeys(path: try name.path())
        buttons = Self.buttons(codes)
        debouncers = Self.debouncers(codes, keys, debouncePeriod)
        folders = Self.folders(of: name)
        find = { () throws(SystemError) in try EvdevKeys(path: try name.path()) }
        let epoll = epoll_create1(CInt(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw SystemError.last("make an epoll") }
        events = Descriptor(owning: epoll, path: "epoll of keys")
        descriptor = epoll
        try listen(to: keys)
    }

    private static func buttons(_ codes: [UInt16]) -> [UInt16: Int] {
        Dictionary(zip(codes, codes.indices), uniquingKeysWith: { first, _ in first })
    }

    /// A key that is held already when the device is opened gives no press, but its release gives an edge.
    private static func debouncers(_ codes: [UInt16], _ keys: EvdevKeys, _ period: Duration) -> [Debouncer] {
        codes.map { Debouncer(period: period, isPressed: keys.held.contains($0)) }
    }

    /// When something becomes certain by itself: the end of a bounce, or at once the release of
    /// what an unplugged device held; or when that device is looked for again.
    package var due: MonotonicTime? {
        hasUnsettledLoss ? latest : (debouncers.compactMap(\.due) + [backoff.due].compactMap(\.self)).min()
    }

    /// Edges at the kernel's time stamps, CLOCK_MONOTONIC; button numbers are positions
    /// among the codes.
    package func read() throws(SystemError) -> [ButtonEdge] {
        guard let keys else {
            comeBack()
            return []  // what the device has to say already makes the descriptor readable again
        }
        do throws(SystemError) {
            let edges = try keys.read().flatMap { edge in
                latest = max(latest, edge.time)
                return buttons[edge.code].map { self.edges($0, edge.isPressed, at: edge.time) } ?? []
            }
            // The kernel does not say how many it dropped (evdev.c keeps the newest event of at
            // least 64): one at the least.
            return missed.mark(edges, missed: overflows)
        } catch {
            guard find != nil else { throw error }
            lose(keys, error)
            return []
        }
    }

    /// Releases what an unplugged device held, looks for it, and ends bounces.
    package func settle(at now: MonotonicTime) -> [ButtonEdge] {
        latest = max(latest, now)
        var edges = debouncers.indices.flatMap { button in changes(button, debouncers[button].settle(at: now)) }
        if hasUnsettledLoss {
            hasUnsettledLoss = false
            edges += debouncers.indices.flatMap { self.edges($0, false, at: now) }
        }
        if let due = backoff.due, due <= now {
            backoff.recordFailure(at: now)
            comeBack()
        }
        return missed.mark(edges, missed: overflows)
    }

    private func edges(_ button: Int, _ isPressed: Bool, at time: MonotonicTime) -> [ButtonEdge] {
        changes(button, debouncers[button].edge(isPressed: isPressed, at: time))
    }

    private func changes(_ button: Int, _ changes: [Debouncer.Change]) -> [ButtonEdge] {
        changes.map { ButtonEdge(button: button, $0) }
    }

    private func listen(to keys: EvdevKeys) throws(SystemError) {
        guard clinux_epoll_add_readable(descriptor, keys.descriptor) == 0 else {
            throw SystemError.last("watch", "the keys")
        }
        self.keys = keys
        arrivals = nil
        fault = nil
        backoff.reset()
    }

    /// Closes the device, which lets the kernel forget it, and waits for files to
    /// appear where it was.
    private func lose(_ keys: EvdevKeys, _ error: SystemError) {
        pastOverflows += keys.overflows
        losses += 1
        fault = error
        hasUnsettledLoss = true
        _ = clinux_epoll_remove(descriptor, keys.descriptor)
        self.keys = nil
        backoff.recordFailure(at: latest)
        comeBack()  // the device may have returned before its folders were watched
    }

    /// Opens the device again if it is there; errors mean that it is not there yet. A folder that has gone with
    /// its last file is watched again once it is back.
    private func comeBack() {
        watchFolders()
        if let keys = try? find?() { try? listen(to: keys) }
    }

    private func watchFolders() {
        if arrivals == nil {
            let watch = inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK))
            guard watch >= 0 else { return }
            arrivals = Descriptor(owning: watch, path: "inotify")
            _ = clinux_epoll_add_readable(descriptor, watch)
        }
        guard let watch = arrivals?.rawValue else { return }
        var buffer = [UInt8](repeating: 0, count: 4096)
        while CLinux.read(watch, &buffer, buffer.count) > 0 {}
        for folder in folders { _ = inotify_add_watch(watch, folder, UInt32(IN_CREATE | IN_ATTRIB | IN_MOVED_TO)) }
    }

    /// Where the device's file or a link to it appears: its folder, and those above it that come
    /// and go with their contents.
    private static func folders(of name: InputDeviceName) -> [String] {
        guard case .path(let path) = name.place else { return ["/dev", "/dev/input"] }
        let folder = path.split(separator: "/").dropLast().map { "/\($0)" }.joined()
        return path.hasPrefix("/dev/") ? ["/dev", "/dev/input", folder] : [folder]
    }
}
