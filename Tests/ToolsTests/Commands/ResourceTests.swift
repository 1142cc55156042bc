// SPDX-License-Identifier: Apache-2.0
import Base
import Commands
import SystemKit
import Testing

struct ResourceTests {
    @Test(arguments: [
        ("boards/none.toml", "--board"), ("studies/none.json", "command line"), ("studies/none.nmea", "'nmea'"),
    ])
    func aMissingFileIsAnsweredWithWhatNamesAnother(name: String, remedy: String) {
        let error = #expect(throws: FileError.self) { try Resource.path(name) }
        #expect(error?.explanation.remedy?.contains(remedy) == true)
    }
}
