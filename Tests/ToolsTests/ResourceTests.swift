// SPDX-License-Identifier: Apache-2.0
import Commands
import SystemKit
import Testing

@Suite struct ResourceTests {
    @Test(arguments: [
        ("boards/none.toml", "--board"), ("studies/none.nmea", "[world]"), ("studies/none.json", "name a study"),
    ])
    func aMissingFileOfTheProgramSaysWhatTakesItsPlace(_ name: String, _ remedy: String) {
        let error = #expect(throws: FileError.self) { try Resource.path(name) }
        #expect(error?.explanation.remedy?.contains(remedy) == true, "\(String(describing: error))")
    }

    @Test(arguments: [("qqqqqqqqqq", "there is no such board; write "), ("breadbord", "'breadboard'? Write ")])
    func anUnknownBoardIsOneSentence(_ name: String, _ words: String) {
        let error = #expect(throws: FileError.self) { try Resource.board(name) }
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    }

    @Test(arguments: [
        ("log.nmea", "boards/a.toml", "boards/log.nmea"), ("../x", "/etc/a.toml", "/etc/../x"),
        ("/log.nmea", "boards/a.toml", "/log.nmea"), ("log.nmea", "a.toml", "log.nmea"),
    ])
    func aPathThatAFileNamesIsBesideIt(path: String, file: String, found: String) {
        #expect(Resource.path(path, namedIn: file) == found)
    }
}
