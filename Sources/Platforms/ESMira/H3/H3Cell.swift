// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The index of the H3 cell (hexagonal grid) in which a place lies, as `latLngToCell` of H3 computes it.
/// `ESMiraInput` sends it in place of a position. Pure.
///
/// The operations and their order are those of H3 4.5.0, so that a place on the very border of two
/// cells falls into the same one.
enum H3Cell {
    private static let resolutions = 0...15

    /// Latitude and longitude in degrees; nil for a resolution that H3 does not have,
    /// or coordinates that are not finite.
    static func index(latitude: Double, longitude: Double, resolution: Int) -> UInt64? {
        guard resolutions.contains(resolution), latitude.isFinite, longitude.isFinite else { return nil }
        let place = H3Vector(latitude: latitude * degree, longitude: longitude * degree)
        let (face, distance) = nearestFace(to: place)
        let spot = flat(place, on: H3Face.all[face], squaredDistance: distance, resolution: resolution)
        return index(of: H3Spot(x: spot.x, y: spot.y), face: face, resolution: resolution)
    }

    /// As ESMira sends it: lower-case hexadecimal digits.
    static func text(latitude: Double, longitude: Double, resolution: Int) -> String? {
        index(latitude: latitude, longitude: longitude, resolution: resolution).map { String($0, radix: 16) }
    }

    private static func nearestFace(to place: H3Vector) -> (face: Int, squaredDistance: Double) {
        // No squared distance on the unit sphere is above 4.
        var (nearest, distance) = (0, 5.0)
        for (number, face) in H3Face.all.enumerated() {
            let away = H3Vector(x: face.x - place.x, y: face.y - place.y, z: face.z - place.z)
            let squared = away.dot(away)
            if squared < distance { (nearest, distance) = (number, squared) }
        }
        return (nearest, distance)
    }

    /// The gnomonic projection onto the face, in units of the resolution's grid, turned for the
    /// odd resolutions.
    private static func flat(
        _ place: H3Vector, on face: H3Face, squaredDistance: Double, resolution: Int
    ) -> (x: Double, y: Double) {
        var r = acos(1 - squaredDistance * 0.5)
        if r < 1e-16 { return (0, 0) }
        let centre = H3Vector(x: face.x, y: face.y, z: face.z)
        var theta = positive(face.azimuth - positive(centre.azimuth(to: place)))
        // The angle between the grids of even and odd resolutions: asin √(3/28).
        if resolution % 2 == 1 { theta = positive(theta - 0.333473172251832115336090755351601070065900389) }
        // In units of resolution 0 (H3's INV_RES0_U_GNOMONIC); each next one is finer by √7.
        r = tan(r) * 2.61803398874989588842
        for _ in 0..<resolution { r *= 2.6457513110645905905016157536392604257102 }
        return (r * cos(theta), r * sin(theta))
    }

    /// The angle brought into 0..<2π, as H3's `_posAngleRads`.
    private static func positive(_ angle: Double) -> Double {
        let whole = 2 * Double.pi
        let raised = angle < 0 ? angle + whole : angle
        return angle >= whole ? raised - whole : raised
    }

    /// Goes from the finest digit up to the base cell, then turns the digits to that cell's own
    /// orientation (H3's `_faceIjkToH3`). A pentagon has no cells whose first digit is 1.
    private static func index(of spot: H3Spot, face: Int, resolution: Int) -> UInt64? {
        var (spot, digits) = (spot, H3Digits(count: resolution))
        for level in stride(from: resolution, to: 0, by: -1) {
            let coarser = spot.coarser(from: level)
            digits[level] = spot.minus(coarser.centre(at: level)).digit
            spot = coarser
        }
        let (i, j, k) = spot.cube
        guard let base = H3BaseCells.at(face: face, i, j, k) else { return nil }
        if let pentagon = H3Pentagon.all.first(where: { $0.cell == base.cell }) {
            if digits.leading == 1 {
                let clockwise = pentagon.faces.0 == face || pentagon.faces.1 == face
                clockwise ? digits.turnClockwise() : digits.turn()
            }
            for _ in 0..<base.turns { digits.turnOnPentagon() }
        } else {
            for _ in 0..<base.turns { digits.turn() }
        }
        return digits.index(baseCell: base.cell)
    }

    private static let degree = 0.0174532925199432957692369076848861271111
}

/// A point in space; on the unit sphere where it is a place.
private struct H3Vector {
    var x, y, z: Double

    init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }

    init(latitude: Double, longitude: Double) {
        let r = cos(latitude)
        self.init(x: cos(longitude) * r, y: sin(longitude) * r, z: sin(latitude))
    }

    func dot(_ other: H3Vector) -> Double { x * other.x + y * other.y + z * other.z }

    /// The direction from here to another place, in radians from north, eastwards.
    func azimuth(to other: H3Vector) -> Double {
        let north = H3Vector(x: -z * x, y: -z * y, z: 1 + -z * z).normalised
        let east = H3Vector(
            x: north.y * z - north.z * y, y: north.z * x - north.x * z, z: north.x * y - north.y * x)
        let height = -other.dot(self)
        let along = H3Vector(x: other.x + height * x, y: other.y + height * y, z: other.z + height * z).normalised
        return atan2(along.dot(east), along.dot(north))
    }

    private var normalised: H3Vector {
        let length = dot(self).squareRoot()
        let scale = length > 0 ? 1 / length : 0
        return H3Vector(x: x * scale, y: y * scale, z: z * scale)
    }
}

/// A cell of one resolution's grid on a face, by two axes 120° apart.
private struct H3Spot {
    var i, j: Int

    init(i: Int, j: Int) { (self.i, self.j) = (i, j) }

    /// The cell around a point of the plane (H3's `_hex2dToCoordIJK`).
    init(x: Double, y: Double) {
        // 1 / sin 60°.
        let x2 = abs(y) * 1.1547005383792515290182975610039149112953
        let x1 = abs(x) + x2 / 2
        let (m1, m2) = (Int(x1), Int(x2))
        let (r1, r2) = (x1 - Double(m1), x2 - Double(m2))
        (i, j) = (m1, m2)
        if r1 < 0.5 {
            if r1 < 1.0 / 3.0 {
                if r2 >= (1 + r1) / 2 { j += 1 }
            } else {
                if r2 >= 1 - r1 { j += 1 }
                if 1 - r1 <= r2 && r2 < 2 * r1 { i += 1 }
            }
        } else if r1 < 2.0 / 3.0 {
            if r2 >= 1 - r1 { j += 1 }
            if !(2 * r1 - 1 < r2 && r2 < 1 - r1) { i += 1 }
        } else {
            i += 1
            if r2 >= r1 / 2 { j += 1 }
        }
        if x < 0 { i = j - i }
        if y < 0 { (i, j) = (i - j, -j) }
    }

    func minus(_ other: H3Spot) -> H3Spot { H3Spot(i: i - other.i, j: j - other.j) }

    /// The cell of the next coarser resolution; the grid turns one way from odd levels and the
    /// other way from even ones.
    func coarser(from level: Int) -> H3Spot {
        level % 2 == 1
            ? H3Spot(i: seventh(3 * i - j), j: seventh(i + 2 * j))
            : H3Spot(i: seventh(2 * i + j), j: seventh(3 * j - i))
    }

    /// This coarser cell's centre on the grid of `level`.
    func centre(at level: Int) -> H3Spot {
        level % 2 == 1 ? H3Spot(i: 2 * i + j, j: 3 * j - i) : H3Spot(i: 3 * i - j, j: i + 2 * j)
    }

    private func seventh(_ number: Int) -> Int { Int((Double(number) / 7).rounded()) }

    /// The coordinates on three axes 120° apart, none of them negative and one of them zero.
    var cube: (i: Int, j: Int, k: Int) {
        let k = max(0, -min(i, j))
        return (i + k, j + k, k)
    }

    /// Which of the seven cells around a coarser cell's centre this is: its three
    /// coordinates as bits.
    var digit: UInt8 {
        let (i, j, k) = cube
        return UInt8(truncatingIfNeeded: i << 2 | j << 1 | k)
    }
}

/// The digits of a cell's index, from the coarsest to the finest: where it lies
/// within its base cell.
private struct H3Digits {
    private var digits: [UInt8]

    init(count: Int) { digits = [UInt8](repeating: 0, count: count) }

    /// Levels count from 1, the coarsest.
    subscript(level: Int) -> UInt8 {
        get { digits[level - 1] }
        set { digits[level - 1] = newValue }
    }

    /// The first digit that is not zero, or zero.
    var leading: UInt8 { digits.first { $0 != 0 } ?? 0 }

    /// Turns the cell by 60° counterclockwise around the base cell's centre.
    mutating func turn() { for place in digits.indices { digits[place] = Self.turned(digits[place]) } }

    mutating func turnClockwise() { for _ in 0..<5 { turn() } }

    /// The same on a pentagon, which has no digit 1 in front.
    mutating func turnOnPentagon() {
        turn()
        if leading == 1 { turn() }
    }

    func index(baseCell: UInt64) -> UInt64 {
        // From bit 59 the mode, 1 = a cell; from 52 the resolution; from 45 the base cell; then 15 digits of
        // three bits, 7 where the resolution has none.
        var index: UInt64 = 0x0800_1FFF_FFFF_FFFF | UInt64(digits.count) << 52 | baseCell << 45
        for (place, digit) in digits.enumerated() {
            let shift = UInt64(42 - 3 * place)
            index = index & ~(7 << shift) | UInt64(digit) << shift
        }
        return index
    }

    /// H3's `_rotate60ccw`.
    private static func turned(_ digit: UInt8) -> UInt8 {
        switch digit {
        case 1: 5
        case 5: 4
        case 4: 6
        case 6: 2
        case 2: 3
        case 3: 1
        default: digit
        }
    }
}
