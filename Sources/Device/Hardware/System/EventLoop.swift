// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux
import SystemKit

/// What one measuring thread (`BusThread`, `InputThread`, `CaptureLoop`) waits for: readable descriptors, one
/// alarm, and the order to stop.
///
/// Lives on its thread alone; only its `waker` may be used from others. The alarm is one timerfd
/// with an absolute time of CLOCK_MONOTONIC, so that lateness never adds up.
package final class EventLoop {
    /// Called on the loop's thread with CLOCK_MONOTONIC just after the wait.
    package typealias Handler = (MonotonicTime) -> Void

    /// Wakes and stops this loop from any thread.
    package let waker: Waker
    /// Called when the alarm has come; it is then unset until `setAlarm` is called again.
    package var onAlarm: Handler?
    package private(set) var wakeUps = 0
    /// What ended the loop other than `stop`, if anything.
    package private(set) var failure: SystemError?

    private let clock: any StudyClock
    private let epoll: Descriptor
    private let timer: Descriptor
    private var handlers: [CInt: Handler] = [:]
    private var events = [epoll_event](repeating: epoll_event(), count: 16)

    /// A loop that tells the time by `clock`, which must be the system's own: the alarm waits on
    /// the kernel's clock.
    package init(clock: any StudyClock, waker: Waker) throws(SystemError) {
        self.clock = clock
        self.waker = waker
        let epoll = epoll_create1(CInt(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw SystemError.last("make an epoll") }
        self.epoll = Descriptor(owning: epoll, path: "epoll")
        let timer = timerfd_create(CLOCK_MONOTONIC, CInt(TFD_CLOEXEC | TFD_NONBLOCK))
        guard timer >= 0 else { throw SystemError.last("make a timerfd") }
        self.timer = Descriptor(owning: timer, path: "timerfd")
        try add(waker.descriptor)
        try add(timer)
    }

    /// CLOCK_MONOTONIC.
    package var now: MonotonicTime { clock.monotonic }

    /// Calls `handler` whenever `descriptor` is readable, at its end or broken. The handler must
    /// read, or unwatch.
    package func watch(_ descriptor: CInt, _ handler: @escaping Handler) throws(SystemError) {
        try add(descriptor)
        handlers[descriptor] = handler
    }

    /// Forgets a descriptor; call it before the descriptor is closed.
    package func unwatch(_ descriptor: CInt) {
        guard handlers.removeValue(forKey: descriptor) != nil else { return }
        _ = clinux_epoll_remove(epoll.rawValue, descriptor)
    }

    /// When `onAlarm` is called next; nil for never. A time that is past rings at once.
    package func setAlarm(_ time: MonotonicTime?) {
        _ = clinux_timer_set(timer.rawValue, time.map { max(1, $0.nanoseconds) } ?? 0)
    }

    /// Waits and calls until the waker says stop or the kernel refuses to wait.
    package func run() {
        waker.clear()  // the first answer to the watchdog; a stop is not forgotten
        while !waker.isStopping, failure == nil { turn() }
    }

    /// Waits once and calls; for loops that also end by themselves.
    func turn() {
        let count = epoll_wait(epoll.rawValue, &events, CInt(events.count), -1)
        guard count >= 0 else {
            let error = SystemError.last("wait for events")
            if error.code != EINTR { failure = error }
            return
        }
        wakeUps += 1
        waker.countTurn()  // for the watchdog
        let now = clock.monotonic
        for index in 0..<Int(count) where !waker.isStopping { dispatch(events[index].data.fd, now) }
    }

    private func dispatch(_ descriptor: CInt, _ now: MonotonicTime) {
        switch descriptor {
        case waker.descriptor: waker.clear()
        case timer.rawValue:
            var expirations: UInt64 = 0
            _ = CLinux.read(timer.rawValue, &expirations, 8)
            onAlarm?(now)
        default: handlers[descriptor]?(now)
        }
    }

    private func add(_ descriptor: CInt) throws(SystemError) {
        guard clinux_epoll_add_readable(epoll.rawValue, descriptor) == 0 else {
            throw SystemError.last("watch descriptor", "\(descriptor)")
        }
    }

    private func add(_ descriptor: borrowing Descriptor) throws(SystemError) { try add(descriptor.rawValue) }
}
