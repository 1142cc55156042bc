// SPDX-License-Identifier: Apache-2.0
import Commands

/// Shows the progress of `RecordingConversion`: per cent on a terminal, and nothing in a pipe.
final class ProgressMeter {
    private let isShown = Output.isTerminal
    private var last = -1

    func show(_ share: Double) {
        let percent = Int(max(0, min(1, share)) * 100)
        guard isShown, percent != last else { return }
        last = percent
        Output.errorText("\r\(percent) %")
    }

    func clear() { if isShown, last >= 0 { Output.errorText("\r      \r") } }
}
