# An object for each instruction set that the compiler knows and for each precision. The library is not compiled for any
# processor in particular, and finds out at run time which of them it can use. What else is compiled for this machine's
# processor (KALLIMA_NATIVE) says so before, and the last -march counts. Sanitizers take minutes for each large radix, and
# see the same loops and addresses in small ones: with them there is one instruction set, of few radices, and so there are
# for long doubles, which are slow in any case. SSE2 has some: large ones do not fit its registers, take most of the time
# to compile, and no processor since 2013 runs them. The order of instructions that GCC 12 has for a Cortex-A72 is the
# fastest on a Neoverse V1, too: radix 16 takes 5 % less.
set(KALLIMA_RADICES 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,20,25,32)
set(KALLIMA_SOME_RADICES 1,2,3,4,5,6,7,8,9,10,11,13)
set(KALLIMA_FEW_RADICES 1,2,3,4,5,7,8,11,13)
include(CheckCXXCompilerFlag)

function(kallima_add_codelet_objects target source isa)
  add_library(${target} OBJECT "${source}")
  kallima_private_includes(${target})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/include")
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_compile_definitions(${target} PRIVATE KALLIMA_ISA=${isa})
  target_compile_options(${target} PRIVATE ${ARGN})
  target_sources(kallima PRIVATE $<TARGET_OBJECTS:${target}>)
endfunction()

function(kallima_add_codelets isa)
  if(KALLIMA_SANITIZE AND KALLIMA_INSTRUCTION_SETS)
    return()
  endif()
  string(REPLACE ";" " " flags "${ARGN}")
  string(MAKE_C_IDENTIFIER "KALLIMA_HAS_${isa}" known)
  if(flags)
    check_cxx_compiler_flag("${flags}" ${known})
    if(NOT ${known})
      return()
    endif()
  endif()
  set(reals float double)
  if(NOT KALLIMA_INSTRUCTION_SETS)
    list(APPEND reals "long double")  # once: no vector holds them
    set(KALLIMA_PLAINEST_SET ${isa} PARENT_SCOPE)
  endif()
  foreach(real IN LISTS reals)
    string(MAKE_C_IDENTIFIER "kallima_codelets_${isa}_${real}" target)
    kallima_add_codelet_objects(${target} "${KALLIMA_CODELETS}" ${isa} ${ARGN} $<$<BOOL:${KALLIMA_SANITIZE}>:-Og>)
    set(radices ${KALLIMA_RADICES})
    if(KALLIMA_SANITIZE OR real STREQUAL "long double")
      set(radices ${KALLIMA_FEW_RADICES})
    elseif(isa STREQUAL "sse2")
      set(radices ${KALLIMA_SOME_RADICES})
    endif()
    target_compile_definitions(${target} PRIVATE "KALLIMA_REAL=${real}" "KALLIMA_RADICES=${radices}")
  endforeach()
  # What is fused there is said in the source: a compiler that fuses more would round otherwise.
  kallima_add_codelet_objects(kallima_residues_${isa} "${KALLIMA_RESIDUE_CODELETS}" ${isa} ${ARGN} -ffp-contract=off)
  kallima_add_codelet_objects(kallima_nodes_${isa} "${KALLIMA_NODE_CODELETS}" ${isa} ${ARGN})
  string(APPEND KALLIMA_INSTRUCTION_SETS "X(${isa})")
  set(KALLIMA_INSTRUCTION_SETS "${KALLIMA_INSTRUCTION_SETS}" PARENT_SCOPE)
  set(KALLIMA_ISAS ${KALLIMA_ISAS} ${isa} PARENT_SCOPE)
  set(KALLIMA_FLAGS_${isa} ${ARGN} PARENT_SCOPE)
endfunction()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  kallima_add_codelets(sse2 -march=x86-64)
  kallima_add_codelets(avx2 -march=x86-64 -mavx2 -mfma)
  kallima_add_codelets(avx512 -march=x86-64 -mavx512f -mavx512dq -mfma -mprefer-vector-width=512)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  kallima_add_codelets(neon -march=armv8-a -mtune=cortex-a72)
  kallima_add_codelets(fcma -march=armv8.3-a -mtune=cortex-a72)
else()
  kallima_add_codelets(generic)
endif()
set_source_files_properties("${PROJECT_SOURCE_DIR}/src/kernel/cpu/choose.cpp"
  "${PROJECT_SOURCE_DIR}/src/kernel/mod_p/choose_residues.cpp" "${PROJECT_SOURCE_DIR}/src/network/nodes.cpp" PROPERTIES
  COMPILE_DEFINITIONS "KALLIMA_INSTRUCTION_SETS=${KALLIMA_INSTRUCTION_SETS};KALLIMA_PLAINEST_SET=${KALLIMA_PLAINEST_SET}")
