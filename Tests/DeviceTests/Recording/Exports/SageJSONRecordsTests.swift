// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import Device

@Suite struct SageJSONRecordsTests {
    /// Each alone, since one with an escape is written another way than one without. Foundation reads them.
    @Test func everyTextComesBackAsItWas() throws {
        let texts = ["\"", "\\", "a\"b", "a\\", "\u{1F}", "\n", "\u{0}", " ", "", "ä", "\u{7F}", "a/b", "🙂"]
        let bench = Workbench()
        let written = try bench.exported("records.json") { output in
            var records = SageJSONRecords(output)
            for text in texts { try records.add(["k": .text(text)]) }
            records.end()
        }
        let read = try JSONDecoder().decode([[String: String]].self, from: Data(written))
        #expect(read == texts.map { ["k": $0] })
    }
}
