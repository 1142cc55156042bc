// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import PlatformESMira

/// The cell of a place, beside what H3's authors published and what their library says.
@Suite struct H3CellTests {
    @Test func everyPublishedCenterLiesInItsCell() {
        for vector in H3Vectors.published + H3Vectors.computed {
            let resolution = Int(vector.cell >> 52 & 15)
            let cell = H3Cell.index(latitude: vector.latitude, longitude: vector.longitude, resolution: resolution)
            #expect(cell == vector.cell, "\(vector.latitude) \(vector.longitude): \(String(vector.cell, radix: 16))")
        }
        #expect(H3Vectors.published.count + H3Vectors.computed.count > 400)
    }

    @Test func theTextIsHexadecimal() {
        // From H3's quick start: the cell of San Francisco at resolution 9.
        #expect(
            H3Cell.text(latitude: 37.7752702151959, longitude: -122.418307270836, resolution: 9) == "8928308280fffff")
    }

    @Test(arguments: [
        (0.0, 0.0, -1), (0, 0, 16), (.nan, 0, 5), (0, .infinity, 5), (-.infinity, 0, 0), (0, .nan, 15),
    ])
    func noPlaceAndNoResolutionHaveNoCell(_ latitude: Double, _ longitude: Double, _ resolution: Int) {
        #expect(H3Cell.index(latitude: latitude, longitude: longitude, resolution: resolution) == nil)
    }

    /// `STUDYD_H3_PLACES` sets how many random places there are beside the edge cases.
    @Test(.enabled(if: H3Library.isInstalled, "needs the Python module h3"), .timeLimit(.minutes(10)))
    func theLibraryOfItsAuthorsFindsTheSameCells() throws {
        let places = getenv("STUDYD_H3_PLACES").flatMap { Int(String(cString: $0)) } ?? 20_000
        var (count, wrong) = (0, 0)
        try #require(
            H3Library.run(places: places) { latitude, longitude, cell in
                count += 1
                let own = H3Cell.index(latitude: latitude, longitude: longitude, resolution: Int(cell >> 52 & 15))
                guard own != cell else { return }
                wrong += 1
                if wrong < 20 { Issue.record("\(latitude) \(longitude): \(String(cell, radix: 16))") }
            })
        #expect(count > places + 30_000 && wrong == 0)
        print("H3: \(count) places beside the Python module h3, \(wrong) in another cell")
    }
}

/// H3's own library, by its Python module; `STUDYD_PYTHON` names a Python that has it.
enum H3Library {
    static let isInstalled: Bool = {
        if system("\(python) -c 'import h3' 2>/dev/null") == 0 { return true }
        print("SKIPPED: the Python module h3 is not installed; STUDYD_PYTHON may name a Python that has it")
        return false
    }()

    /// Whether the script went through; each place with its cell.
    static func run(places: Int, each: (Double, Double, UInt64) -> Void) -> Bool {
        let script = #filePath.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/h3_reference.py"
        guard let pipe = popen("'\(python)' '\(script)' \(places)", "r") else { return false }
        var words: [UInt64] = [0, 0, 0]
        while fread(&words, 24, 1, pipe) == 1 {
            each(Double(bitPattern: words[0]), Double(bitPattern: words[1]), words[2])
        }
        return pclose(pipe) == 0
    }

    private static var python: String { getenv("STUDYD_PYTHON").map { String(cString: $0) } ?? "python3" }
}
