// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Device

/// The codes of openmovement's Docs/ax3/cwa.h: 3200/2^(15−code) a second.
@Suite struct CWARateTests {
    @Test(arguments: [
        (100.0, UInt8(10), 100.0), (119, 10, 100), (151, 11, 200), (52, 9, 50), (12.5, 7, 12.5), (1, 5, 3.125),
        (1e9, 15, 3200), (150, 10, 100),
    ])
    func theNearestRateIsTakenAndOfTwoTheLower(wanted: Double, code: UInt8, rate: Double) {
        let nearest = CWARate.nearest(to: wanted)
        #expect(nearest.code == code && nearest.rate == rate)
        #expect(CWARate.rate(code: code) == rate)
    }
}
