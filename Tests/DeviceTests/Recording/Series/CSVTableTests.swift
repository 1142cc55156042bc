// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@testable import Device

@Suite struct CSVTableTests {
    /// RFC 4180, 2.4: "Each line should contain the same number of fields throughout the file."
    @Test(arguments: ["2026-11-21T09:00:01Z,2", "2026-11-21T09:00:01Z,2,1,1", "2026", ","])
    func theRowBehindATornOneFollowsAGap(torn: String) throws {
        let bench = Workbench()
        let rows = ["2026-11-21T09:00:00Z,1,5", torn, "2026-11-21T09:00:02Z,3,7", "2026-11-21T09:00:03Z,4,8"]
        try bench.write("x.csv", Array((["time,uptime,x"] + rows).joined(separator: "\n").utf8))
        let table = try CSVTable(RecordedFile("\(bench.path)/x.csv"))
        var found: [Bool] = []
        while let row = try table.next() { found.append(row.followsGap) }
        #expect(found == [false, true, false])
    }
}
