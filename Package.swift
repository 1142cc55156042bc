// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioEmbedded: Target.Dependency = .product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let swift6: [SwiftSetting] = [.swiftLanguageMode(.v6)]

/// A module of a room.
func library(
    _ name: String, _ path: String, _ dependencies: [Target.Dependency], exclude: [String] = [],
    resources: [Resource]? = nil
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/" + path, exclude: exclude, resources: resources,
        swiftSettings: swift6)
}

/// A program, or one that only tests and benches use.
func program(_ name: String, _ path: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: path, exclude: exclude, swiftSettings: swift6)
}

/// The tests of a room, in a folder of their name.
func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: swift6)
}

/// What tests share.
func help(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Tests/" + name, swiftSettings: swift6)
}

let package = Package(
    name: "studyd",
    products: [
        .executable(name: "studyd", targets: ["studyd"]),
        .executable(name: "study-receiver", targets: ["study-receiver"]),
        .executable(name: "studyd-tools", targets: ["studyd-tools"]),
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
        .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
        .systemLibrary(name: "CPCRE2", pkgConfig: "libpcre2-8", providers: [.apt(["libpcre2-dev"])]),

        // Base. The name of its middle module is not `System`, which swift-nio takes for Apple's.
        library("Base", "Base/Base", []),
        library("SystemKit", "Base/System", ["Base", "CLinux", "CCrypto", "CPCRE2"]),
        library("Database", "Base/Database", ["Base", "SystemKit", "CSQLite"]),
        // Study. Base alone: no disk, no thread, no Foundation.
        library("Study", "Study", ["Base"], resources: [.embedInCode("Languages")]),
        // Platforms: a line for each, and one in the catalog, which alone knows them all.
        library("PlatformKit", "Platforms/Kit", ["Base", "SystemKit", "Study"]),
        library("PlatformSchema", "Platforms/Schema", ["Base", "SystemKit", "Study", "PlatformKit"]),
        library("PlatformMyStudies", "Platforms/MyStudies", ["Base", "SystemKit", "Study", "PlatformKit"]),
        library("PlatformESMira", "Platforms/ESMira", ["Base", "SystemKit", "Study", "PlatformKit"]),
        library("PlatformSage", "Platforms/Sage", ["Base", "SystemKit", "Study", "PlatformKit"]),
        library(
            "Platforms", "Platforms/Catalog",
            ["Study", "PlatformSchema", "PlatformMyStudies", "PlatformESMira", "PlatformSage"]),
        // Device.
        library("Features", "Device/Features", ["Base"]),
        library(
            "Device", "Device", ["Base", "SystemKit", "CLinux", "CGPIO", "CI2C", "CALSA", "CFLAC", "CZlib"],
            exclude: ["Features"]),
        // Agent.
        library(
            "Agent", "Agent/Agent",
            [
                "Base", "SystemKit", "Database", "Study", "PlatformKit", "Platforms", "Device", "Features", "CLinux",
                "CCurl", "CMosquitto", "CZstd", logging,
            ]),
        // What a body does in the world: for `studyd simulate`, and for the simulated chips.
        library("SimulatedWorld", "Agent/World", ["Base"]),
        // What the commands of studyd and of studyd-tools share.
        library("Commands", "Agent/Commands", ["Base", "SystemKit", "Device", "Agent", arguments, logging]),
        program(
            "studyd", "Sources/Agent/studyd",
            [
                "Base", "SystemKit", "Study", "PlatformKit", "Platforms", "Device", "Agent", "SimulatedWorld",
                "Commands", arguments, logging,
            ]),
        // Lab.
        library(
            "Lab", "Lab/Lab",
            [
                "Base", "SystemKit", "Database", "Device", "Dataset", "CCurl", "CZstd", arguments, nioCore, nioPosix,
                nioHTTP,
            ]),
        library(
            "Dataset", "Lab/Dataset", ["Base", "SystemKit", "Database", "Device", "Features", "Exports", "CZlib"],
            resources: [.embedInCode("Code")]),
        library("StandIns", "Lab/StandIns", ["Base", "SystemKit", "Database", "Dataset", "Lab", arguments]),
        program("study-receiver", "Sources/Lab/study-receiver", ["Lab", "StandIns"]),
        // Tools.
        library("Simulation", "Tools/Simulation", ["Base", "SystemKit", "Device", "SimulatedWorld", "CLinux"]),
        library("Terminal", "Tools/Terminal", []),
        library("Exports", "Tools/Exports", ["Base", "SystemKit", "Device", "Features"]),
        program(
            "studyd-tools", "Sources/Tools/studyd-tools",
            [
                "Base", "SystemKit", "Study", "PlatformKit", "Platforms", "Device", "Agent", "SimulatedWorld",
                "Commands", "Simulation", "Terminal", "Exports", "Features", arguments, logging,
            ]),

        // What tests share.
        help("FuzzDice"),
        help("RecordingSchema"),
        help("HeldPort"),
        help("Patience"),
        .target(
            name: "S3Servers", dependencies: ["Patience"], path: "Tests/S3Servers",
            exclude: ["moto_server.py", "oracle.py", "s3_stand_in.py", "stored.py", "swift_server.py"],
            swiftSettings: swift6),
        help("PlatformFixtures", ["Base", "SystemKit", "Study"]),

        // A folder of tests for each module or room; scripts beside them are the independent references.
        tests(
            "BaseTests", ["Base", "SystemKit", "TOMLFuzz"],
            exclude: ["TOML/toml_test_verdicts.py", "TOML/tomllib_reference.py", "Times/zoneinfo_reference.py"]),
        tests("SystemTests", ["Base", "SystemKit", "CLinux", "CZlib"]),
        tests("DatabaseTests", ["Database", "SystemKit"]),
        tests(
            "StudyTests",
            [
                "Base", "SystemKit", "Study", "PlatformKit", "PlatformESMira", "PlatformMyStudies", "PlatformFixtures",
                "Patience",
            ],
            exclude: ["Engine/Recordings", "Engine/Scoring", "Engine/mystudies_walks.py", "Rules/rules_schema.py"]),
        tests(
            "PlatformsTests",
            ["Base", "SystemKit", "Study", "PlatformKit", "Platforms", "PlatformFixtures"]),
        tests(
            "PlatformSchemaTests", ["Base", "SystemKit", "Study", "PlatformKit", "PlatformSchema", "PlatformFixtures"],
            exclude: ["Recordings"]),
        tests(
            "PlatformMyStudiesTests",
            ["Base", "SystemKit", "Study", "PlatformKit", "PlatformMyStudies", "PlatformFixtures"]),
        tests(
            "PlatformESMiraTests",
            [
                "Base", "SystemKit", "Study", "PlatformKit", "PlatformESMira", "PlatformFixtures", "MerlinFuzz",
                "CZlib",
            ], exclude: ["app-outcomes.txt.gz", "esmira_server.py", "h3_reference.py"]),
        tests(
            "PlatformSageTests",
            [
                "Base", "SystemKit", "Study", "PlatformKit", "PlatformSage", "PlatformFixtures", "Device", "Agent",
                "SageFuzz",
            ], exclude: ["archive_check.py"]),
        tests(
            "DeviceTests",
            [
                "Base", "SystemKit", "Device", "Features", "Simulation", "SimulatedWorld", "Exports", "RecordingSchema",
                "CLinux",
            ],
            exclude: ["Recording/CWA/cwa_reference.py", "Recording/Levels/sound_reference.py"]),
        tests(
            "FeaturesTests", ["Base", "SystemKit", "Features"],
            exclude: [
                "expected-counts.csv", "expected-metrics.csv", "expected-stays.csv", "expected-wear.csv",
                "features_reference.py",
            ]),
        tests(
            "AgentTests",
            [
                "Base", "SystemKit", "Database", "Study", "PlatformKit", "PlatformSchema", "PlatformMyStudies",
                "PlatformESMira", "Device", "Features", "Agent", "Simulation", "SimulatedWorld", "Exports",
                "RecordingSchema", "HeldPort", "Patience", "S3Servers", "CLinux", logging,
            ],
            exclude: [
                "Store/damage.py", "Store/wal_rows.py", "Upload/lab_server.py", "Upload/portal_server.py",
                "Upload/reference_tus_server.py", "Upload/slow_link.py", "Upload/tls_server.py",
                "Reporting/day_records.py", "Upload/Radar/radar_server.py", "Upload/Radar/radar_upload.py",
                "Live/mqtt_reader.py", "Live/mqtt_writer.py",
            ]),
        tests(
            "LabTests",
            [
                "Base", "SystemKit", "Database", "Dataset", "Lab", "StandIns", "study-receiver", "Study", "Agent",
                "HeldPort", "Patience", nioCore, nioEmbedded, nioPosix, nioHTTP,
            ],
            exclude: [
                "Fleet/http_signatures.py", "Receiver/esmira_compare.py", "Receiver/response_checker.py",
            ]),
        tests(
            "DatasetTests",
            [
                "Base", "SystemKit", "Database", "Device", "Features", "Exports", "Dataset", "Lab", "StandIns", "Study",
                "Agent", "Patience", "S3Servers",
            ]),
        tests(
            "ToolsTests",
            [
                "Base", "SystemKit", "Study", "Device", "Exports", "Agent", "Commands", "Simulation", "SimulatedWorld",
                "Terminal", "studyd-tools", logging,
            ]),
        // The built programs as real processes: the executables are dependencies so that they are built.
        tests(
            "ScenarioTests",
            ["studyd", "studyd-tools", "study-receiver", "RecordingSchema", "HeldPort", "Patience", "S3Servers"],
            exclude: [
                "completions.py", "dataset_questions.py", "documented.py", "drawn_demo.py", "early_stops.py",
                "home_assistant.py",
                "killed_ledger.py", "ledger_board.py", "report_lab.py", "schema_studies.md", "schema_studies.py",
                "six_damages.py",
                "stopped_ledger.py", "traces.py",
                "unit_sandbox.py",
            ]),

        // `make bench`: figures, not proofs. Never installed.
        program(
            "studyd-bench", "Tests/Bench",
            [
                "Base", "SystemKit", "Study", "PlatformKit", "PlatformESMira", "Platforms", "Device", "Features",
                "Agent", "Simulation", "SimulatedWorld", "Exports",
            ], exclude: ["bench.py", "table.py"]),
        // `make vm-test`: a USB-to-I2C adapter with simulated chips behind it, for the virtual board. Never installed.
        program(
            "usb-i2c-adapter", "Tests/vm/Adapter", ["Base", "SystemKit", "Device", "Simulation", "SimulatedWorld"]),
        .testTarget(
            name: "AdapterTests", dependencies: ["usb-i2c-adapter", "Base", "SystemKit"], path: "Tests/vm/AdapterTests",
            swiftSettings: swift6),
        // Power cuts enumerated along a recorded run (`make crash-test`), the agent's decisions through crashes at random (`make core-test`),
        // and readers given damaged files (`make fuzz`). Never installed.
        program(
            "RecordingCrash", "Tests/Crash", ["Base", "SystemKit", "Device", "RecordingSchema"],
            exclude: ["record.sh", "run.strace.gz", "sealed.strace.gz"]),
        tests("CrashTests", ["RecordingCrash"]),
        program(
            "StudyCrash", "Tests/StudyCrash",
            ["Base", "SystemKit", "Study", "PlatformKit", "Device", "Agent", "Simulation"]),
        tests("StudyCrashTests", ["StudyCrash"]),
        program(
            "RecordingFuzz", "Tests/Fuzz", ["Base", "SystemKit", "Device", "Agent", "Exports", "FuzzDice"],
            exclude: ["corpus"]),
        tests("FuzzTests", ["SystemKit", "Device", "RecordingFuzz", "RecordingSchema"]),
        program("TOMLFuzz", "Tests/FuzzTOML", ["Base", "FuzzDice"]),
        program("MerlinFuzz", "Tests/FuzzMerlin", ["PlatformESMira", "Study", "FuzzDice"]),
        program("SageFuzz", "Tests/FuzzSage", ["Base", "Study", "PlatformKit", "PlatformSage", "FuzzDice"]),
    ]
)
