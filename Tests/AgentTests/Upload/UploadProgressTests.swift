// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Agent

@Suite struct UploadProgressTests {
    /// tus 1.0, core protocol: `Upload-Offset` says how far a server is. One that says the same ten times has
    /// taken nothing; each byte more begins the count again.
    @Test(
        arguments: [
            ([Int64?](repeating: nil, count: 10), 10), ([0] + [Int64?](repeating: 0, count: 10), 11),
            ([5] + [Int64?](repeating: 4, count: 10), 11),
            ([Int64?](repeating: 3, count: 10) + [4] + [Int64?](repeating: nil, count: 10), 21),
            ((0..<100).map { $0 }, nil),
        ] as [([Int64?], Int?)])
    func tenStepsThatBringNothingEndIt(offsets: [Int64?], end: Int?) {
        var progress = UploadProgress()
        let refused = offsets.firstIndex { !progress.record(.progressed($0)) }
        #expect(refused.map { $0 + 1 } == end)
    }

    @Test func aPlaceThatIsMadeBringsNothingYet() {
        var progress = UploadProgress()
        let allowed = (0..<10).map { progress.record(.located("/files/\($0)")) }
        #expect(allowed == [Bool](repeating: true, count: 9) + [false])
    }
}
