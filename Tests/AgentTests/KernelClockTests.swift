// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent

@Suite struct KernelClockTests {
    /// mlichvar/chrony 8f2db83, sys_timex.c:176, `set_sync_status`: a synchronised chronyd writes both errors, but clears
    /// STA_UNSYNC only with `rtcsync`; before, it writes MAX_SYNC_ERROR, 16 s. So does the kernel with its own
    /// STA_UNSYNC (kernel/time/ntp.c, NTP_PHASE_LIMIT). systemd-timesyncd writes no error at all, and leaves STA_UNSYNC
    /// where /etc/adjtime says LOCAL (timesyncd-manager.c, `manager_adjust_clock`).
    @Test(
        arguments: [
            (false, 0, .unknown, true), (false, 20_000, .unknown, true), (false, 15_999_999, .unknown, true),
            (false, 16_000_000, .unknown, false),
            (false, 20_000, .rtc, false), (true, 20_000, .unknown, false),
        ] as [(Bool, Int64, ClockAnchor.Source, Bool)])
    func anNTPClientThatHoldsTheKernelBackIsNamed(
        isSynchronised: Bool, microseconds: Int64, source: ClockAnchor.Source, isNamed: Bool
    ) {
        let kernel = KernelClock(
            isSynchronised: isSynchronised, maximumError: .microseconds(microseconds),
            estimatedError: .microseconds(50),
            offset: .zero)
        let opinion = kernel.addingNote(to: ClockTrust.Opinion(source: source, uncertainty: .zero))
        #expect((opinion.note?.contains("rtcsync") == true) == isNamed && opinion.source == source)
    }
}
