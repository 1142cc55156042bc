// SPDX-License-Identifier: Apache-2.0
import Times

/// Goes through the blocks of a CWA file.
struct CWASurvey {
    var samples = 0
    /// Samples that the jumps in time between blocks hold.
    var missing = 0
    var rate: Double?
    var start: LocalDateTime?
    var duration = 0.0
    var remarks: [String] = []
    private var expected: LocalDateTime?
    private var jumps = 0

    mutating func add(_ block: CWABlock) {
        samples += block.count
        rate = block.rate
        guard let first = block.local(of: 0) else { return }
        if start == nil { start = first }
        if let expected {
            let jump = (first.instant(offset: 0) - expected.instant(offset: 0)).seconds
            // Half a second lies beyond any error of rate within one block.
            if jump > 0.5 {
                missing += Int((jump * block.rate).rounded())
                jumps += 1
                if jumps <= 20 {
                    remarks.append("gap of \(Decimals.text(jump, 2)) s before sample \(samples - block.count)")
                }
            }
        }
        expected = block.local(of: block.count)
        if let start, let expected { duration = (expected.instant(offset: 0) - start.instant(offset: 0)).seconds }
    }
}
