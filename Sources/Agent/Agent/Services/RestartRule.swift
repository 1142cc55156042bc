// SPDX-License-Identifier: Apache-2.0
import Base

/// Decides for `AgentWatch` whether a thread that makes no progress is worth a restart by systemd's watchdog. Pure.
///
/// Without the loop, the recorder or the store nothing is right any more: the watchdog is no longer
/// fed. A thread that measures is another matter, since prompts and all other measures go on
/// without it. A restart helps once where the program or a driver's state is to blame; it does not
/// where the kernel itself holds the thread (state D of proc(5): SIGKILL waits for it too, so that
/// the old process would keep the devices and the new one could not begin), nor where it has just
/// been tried. The agent then stays up and shows the fault: only a restart of the whole device, or
/// the wire, will help.
struct RestartRule: Sendable {
    /// An earlier restart because of a measuring thread.
    struct Tried: Sendable, Hashable {
        /// The boot it happened in; each boot may try once.
        let bootID: String
        let time: MonotonicTime
    }

    struct Verdict: Sendable, Hashable {
        /// The watchdog is to be fed; if false, it ends this process.
        var feeds = true
        /// The restart is the one try for a measuring thread: the caller has to write a `Tried` to the disk
        /// before the watchdog ends this process.
        var tries = false
        var faults: [Explanation] = []
    }

    /// No second restart for a measuring thread within this time of the first: it would not help either.
    private static let retryAfter: Duration = .seconds(86_400)

    let bootID: String
    /// The last restart for a measuring thread, as the file of `StateFolder.restart` has it.
    var tried: Tried?

    /// The verdict on threads that are stuck; `isHeld` says whether the kernel holds the thread of that id
    /// (state D).
    func verdict(_ stuck: [ThreadHeartbeat], at now: MonotonicTime, isHeld: (CInt) -> Bool) -> Verdict {
        var verdict = Verdict()
        for heartbeat in stuck {
            var cause = "\(heartbeat.name) has made no progress for more than \(heartbeat.bound.text)"
            var remedy = "everything else keeps running. Restart the device, and check its wires"
            switch heartbeat.role {
            case .loop, .recorder:
                verdict.feeds = false
                remedy = "the watchdog restarts studyd"
            case .measuring where isHeld(heartbeat.threadID): cause += ": blocked by a kernel driver"
            case .measuring where wasTried(before: now): cause += ", and a restart did not help"
            case .measuring:
                (verdict.feeds, verdict.tries) = (false, true)
                remedy = "the watchdog restarts studyd once"
            }
            verdict.faults.append(Explanation(cause: cause, remedy: remedy))
        }
        return verdict
    }

    private func wasTried(before now: MonotonicTime) -> Bool {
        guard let tried, tried.bootID == bootID else { return false }
        return now - tried.time < Self.retryAfter
    }
}

extension RestartRule.Tried {
    /// One line of a file: the boot, and nanoseconds of CLOCK_MONOTONIC.
    init?(parsing text: String) {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count == 2, let nanoseconds = Int64(words[1]) else { return nil }
        self.init(bootID: String(words[0]), time: MonotonicTime(nanoseconds: nanoseconds))
    }

    var text: String { "\(bootID) \(time.nanoseconds)\n" }
}
