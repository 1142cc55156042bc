// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Testing

@Suite struct ZonedTextTests {
    @Test(arguments: [
        (36_000, "2019-05-08T23:16:21+10:00"), (0, "2019-05-08T13:16:21+00:00"), (-12_600, "2019-05-08T09:46:21-03:30"),
    ])
    func offsetIsNumericAndFractionsAreCut(_ offset: Int, _ text: String) {
        let zone = Zone(fixed: offset, identifier: "Z", abbreviation: "Z")
        #expect(ZonedText(Instant(milliseconds: 1_557_321_381_999), in: zone).description == text)
    }
}
