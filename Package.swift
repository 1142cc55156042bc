// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import Foundation
import PackageDescription

let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioHTTP: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")

/// One of our libraries, in the Swift 6 language mode.
func library(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: [.swiftLanguageMode(.v6)])
}

/// The tests of one target, which lie in a folder of its name.
func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, exclude: exclude, swiftSettings: [.swiftLanguageMode(.v6)])
}

/// What lies in a folder of the package.
func contents(of folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: Context.packageDirectory + "/" + folder))?.sorted() ?? []
}

/// A platform is a room: `Sources/Platform<Name>`, with its tests, known by its folder. Only `Platforms`, the catalog, sees it.
let rooms = contents(of: "Sources").filter { $0.hasPrefix("Platform") && $0 != "PlatformKit" && $0 != "Platforms" }

/// The tests of a room, where there are some; what is no Swift among them is a reference, or recordings of others.
func tests(ofRoom name: String) -> [Target] {
    let folder = "Tests/\(name)Tests"
    let files = contents(of: folder)
    guard !files.isEmpty else { return [] }
    let others = files.filter { file in
        !file.hasSuffix(".swift") && !contents(of: "\(folder)/\(file)").contains { $0.hasSuffix(".swift") }
    }
    let more: [String: [Target.Dependency]] = [
        "PlatformESMira": ["MerlinFuzz", "StudyEngine", "CZlib"],
        "PlatformSage": ["SageFuzz", "StudyEngine", "AgentCore", "Recording", "Samples", "SystemKit"],
    ]
    return [
        tests(
            "\(name)Tests",
            more[name, default: []] + [
                .byName(name: name), "PlatformKit", "PlatformFixtures", "StudyModel", "Times",
            ], exclude: others)
    ]
}

let package = Package(
    name: "studyd",
    products: [
        .executable(name: "studyd", targets: ["studyd"]),
        .executable(name: "study-receiver", targets: ["StudyReceiver"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        // What Swift cannot see of the kernel and the C libraries.
        .target(name: "CLinux"),
        .target(name: "CGPIO", dependencies: ["CGPIOLibrary"]),
        .systemLibrary(name: "CGPIOLibrary", pkgConfig: "libgpiod", providers: [.apt(["libgpiod-dev"])]),
        .systemLibrary(name: "CI2C", providers: [.apt(["libi2c-dev"])]),
        .systemLibrary(name: "CALSA", pkgConfig: "alsa", providers: [.apt(["libasound2-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CFLAC", pkgConfig: "flac", providers: [.apt(["libflac-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CPCRE2", pkgConfig: "libpcre2-8", providers: [.apt(["libpcre2-dev"])]),

        // From the ground up: a target imports only what stands above it here.
        library("Times", []),
        library("TOML", []),
        library("Terminal", []),
        library("SystemKit", ["CLinux", "CCrypto", "CPCRE2"]),
        library("Samples", ["Times"]),
        library("Hardware", ["SystemKit", "Samples", "Times", "CLinux", "CGPIO", "CI2C", "CALSA"]),
        library("Sensors", ["SystemKit", "Hardware", "Samples", "Times"]),
        library("Recording", ["SystemKit", "Samples", "Times", "CLinux", "CFLAC", "CZlib"]),
        library("StudyModel", ["Times"]),
        library("PlatformKit", ["SystemKit", "StudyModel", "Times"]),
        // One room for each platform; `Platforms` is the one that knows them all.
        library("Platforms", ["PlatformKit"] + rooms.map { .byName(name: $0) }),
        library("StudyEngine", ["StudyModel", "Times"]),
        library("Database", ["SystemKit", "CSQLite"]),
        library("Store", ["SystemKit", "Database", "StudyModel", "Times"]),
        library("Upload", ["SystemKit", "Store", "StudyModel", "Times", "CCurl", "CZstd"]),
        library("Simulation", ["SystemKit", "Hardware", "Samples", "Times", "CLinux"]),
        library("WebServer", ["SystemKit", nioCore, nioPosix, nioHTTP]),
        library(
            "AgentCore",
            ["SystemKit", "PlatformKit", "StudyEngine", "StudyModel", "Store", "Recording", "Times"]),
        library(
            "Agent",
            [
                "AgentCore", "SystemKit", "Times", "Samples", "Hardware", "Sensors", "Recording", "StudyModel",
                "PlatformKit",
                "Platforms", "StudyEngine", "Database", "Store", "Upload", "TOML", "CLinux",
                logging,
            ]),
        .executableTarget(
            name: "studyd",
            dependencies: [
                "Agent", "AgentCore", "Hardware", "PlatformKit", "Platforms", "Recording", "Samples", "Sensors",
                "Simulation", "Store", "StudyEngine", "StudyModel", "SystemKit", "Terminal", "Times", arguments,
                logging,
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "StudyReceiver",
            dependencies: ["Database", "WebServer", "SystemKit", "Times", "CZstd", arguments, nioCore],
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)

// `make bench`: figures, not proofs. Never installed.
package.targets.append(
    .executableTarget(
        name: "studyd-bench",
        dependencies: [
            "AgentCore", "SystemKit", "Hardware", "Recording", "Samples", "Sensors", "Simulation", "Store",
            "PlatformKit",
            "PlatformESMira",
            "Platforms", "StudyModel", "Times", "Upload",
        ],
        path: "Tests/Bench", exclude: ["bench.py", "table.py"], swiftSettings: [.swiftLanguageMode(.v6)]))

// `make vm-test`: a USB-to-I2C adapter with simulated chips behind it, for the virtual board. Never installed.
package.targets.append(
    .executableTarget(
        name: "usb-i2c-adapter", dependencies: ["Simulation", "SystemKit", "Hardware", "Times"],
        path: "Tests/vm/Adapter",
        swiftSettings: [.swiftLanguageMode(.v6)]))

// Power cuts enumerated along a recorded run (`make crash-test`), the agent's decisions through crashes at random (`make core-test`), and readers given damaged files (`make fuzz`). Never installed.
package.targets += [
    .executableTarget(
        name: "RecordingCrash", dependencies: ["Recording", "RecordingSchema", "Samples", "Times"], path: "Tests/Crash",
        exclude: ["run.strace.gz", "record.sh"], swiftSettings: [.swiftLanguageMode(.v6)]),
    .executableTarget(
        name: "StudyCrash",
        dependencies: [
            "Agent", "AgentCore", "SystemKit", "PlatformKit", "Recording", "Samples", "Simulation", "Store",
            "StudyEngine",
            "StudyModel", "Times",
        ],
        path: "Tests/StudyCrash", swiftSettings: [.swiftLanguageMode(.v6)]),
    .executableTarget(
        name: "RecordingFuzz",
        dependencies: ["FuzzDice", "Agent", "SystemKit", "Hardware", "Recording", "Samples", "Times"],
        path: "Tests/Fuzz", exclude: ["corpus"], swiftSettings: [.swiftLanguageMode(.v6)]),
    .executableTarget(
        name: "TOMLFuzz", dependencies: ["FuzzDice", "TOML"], path: "Tests/FuzzTOML",
        swiftSettings: [.swiftLanguageMode(.v6)]),
    .executableTarget(
        name: "MerlinFuzz", dependencies: ["FuzzDice", "PlatformESMira"], path: "Tests/FuzzMerlin",
        swiftSettings: [.swiftLanguageMode(.v6)]),
    .executableTarget(
        name: "SageFuzz",
        dependencies: ["FuzzDice", "PlatformSage", "PlatformKit", "StudyEngine", "StudyModel", "Times"],
        path: "Tests/FuzzSage", swiftSettings: [.swiftLanguageMode(.v6)]),
]

// The numbers of all fuzzers.
package.targets.append(
    .target(name: "FuzzDice", path: "Tests/FuzzDice", swiftSettings: [.swiftLanguageMode(.v6)]))

// The schema of recordings' descriptions, for all tests that write some.
package.targets.append(
    .target(name: "RecordingSchema", path: "Tests/RecordingSchema", swiftSettings: [.swiftLanguageMode(.v6)]))

// A port that no other test is given while its server is away.
package.targets.append(.target(name: "HeldPort", path: "Tests/HeldPort", swiftSettings: [.swiftLanguageMode(.v6)]))

// Where tests of the platforms find the upstream files.
package.targets.append(
    .target(
        name: "PlatformFixtures", dependencies: ["PlatformKit", "StudyModel", "Times"], path: "Tests/PlatformFixtures",
        swiftSettings: [.swiftLanguageMode(.v6)]))

// One folder of tests per target, with the same file names; scripts beside them are the independent references.
package.targets += [
    tests("TimesTests", ["Times"], exclude: ["zoneinfo_reference.py"]),
    tests("TOMLTests", ["TOML", "TOMLFuzz"], exclude: ["tomllib_reference.py", "toml_test_verdicts.py"]),
    tests("TerminalTests", ["Terminal"]),
    tests("SystemKitTests", ["SystemKit", "CLinux"]),
    tests("SamplesTests", ["Samples", "Times"]),
    tests("HardwareTests", ["Hardware", "SystemKit", "Samples", "Times", "CLinux"]),
    tests("SensorsTests", ["Sensors", "SystemKit", "Hardware", "Simulation", "Samples", "Times"]),
    tests(
        "RecordingTests", ["Recording", "Samples", "Times", "RecordingSchema"],
        exclude: ["CWA/cwa_reference.py", "Levels/sound_reference.py"]),
    tests("CrashTests", ["RecordingCrash"]),
    tests("FuzzTests", ["RecordingFuzz", "Recording", "RecordingSchema"]),
    tests("StudyCrashTests", ["StudyCrash"]),
    tests("StudyModelTests", ["StudyModel", "Times"]),
    tests("PlatformKitTests", ["PlatformKit", "PlatformFixtures", "StudyModel", "Times"]),
    tests("PlatformsTests", ["Platforms", "PlatformKit", "PlatformFixtures", "StudyModel", "Times"]),
    tests(
        "StudyEngineTests",
        ["StudyEngine", "PlatformKit", "PlatformESMira", "PlatformMyStudies", "StudyModel", "Times"],
        exclude: ["Recordings", "Scoring", "mystudies_walks.py"]),
    tests("DatabaseTests", ["Database"]),
    tests(
        "StoreTests", ["Store", "SystemKit", "Database", "StudyModel", "Times"], exclude: ["damage.py", "wal_rows.py"]),
    tests(
        "UploadTests",
        [
            "Upload", "Agent", "SystemKit", "PlatformKit", "PlatformESMira", "PlatformSchema", "Store", "Database",
            "StudyModel", "Times", "CLinux", "HeldPort",
        ],
        exclude: ["lab_server.py", "portal_server.py", "tls_server.py", "reference_tus_server.py", "slow_link.py"]),
    tests("SimulationTests", ["Simulation", "SystemKit", "Hardware", "Sensors", "Samples", "Times"]),
    tests("WebServerTests", ["WebServer", nioCore, nioPosix, nioHTTP]),
    tests(
        "StudyReceiverTests", ["StudyReceiver", "Database", "WebServer", "SystemKit", "Times"],
        exclude: ["response_checker.py", "esmira_compare.py"]),
    tests(
        "AgentTests",
        [
            "Agent", "AgentCore", "SystemKit", "Simulation", "StudyModel", "StudyEngine", "PlatformKit",
            "PlatformSchema",
            "PlatformMyStudies", "Store", "Database", "Hardware", "Sensors", "Recording", "Samples", "Times",
            "RecordingSchema", "Upload", logging,
        ]),
    .testTarget(
        name: "AdapterTests", dependencies: ["usb-i2c-adapter", "Times"], path: "Tests/vm/AdapterTests",
        swiftSettings: [.swiftLanguageMode(.v6)]),
    // The built programs as real processes: the executables are dependencies so that they are built.
    tests(
        "ScenarioTests", ["studyd", "StudyReceiver", "RecordingSchema", "HeldPort"],
        exclude: [
            "ledger_board.py", "killed_ledger.py", "stopped_ledger.py", "early_stops.py", "drawn_demo.py",
            "completions.py", "documented.py", "schema_studies.py", "unit_sandbox.py",
        ]),
]
package.targets += rooms.map { library($0, ["PlatformKit", "StudyModel", "Times"]) } + rooms.flatMap(tests(ofRoom:))
