# How everything of ours is compiled. Only flags live here, set for the whole directory, so that none of them reaches
# an installed target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug, RelWithDebInfo or MinSizeRel" FORCE)
endif()

add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion>")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 warns of its own std::string operator+ (its bug 105651) and of members of values it constructs in place.
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict;-Wno-maybe-uninitialized>")
  # It looks for garbage whenever it has doubled 128 MiB, which takes a tenth of the time of files that need 1 GiB.
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:--param ggc-min-expand=100;SHELL:--param ggc-min-heapsize=524288>")
endif()
# We are position independent so that a shared library can link us, not so that our functions can be replaced in it.
add_compile_options($<$<NOT:$<COMPILE_LANGUAGE:CUDA>>:-fno-semantic-interposition>)
add_compile_definitions($<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)

if(KALLIMA_WERROR)
  add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:-Werror>)
endif()

if(KALLIMA_NATIVE)
  include(CheckCXXCompilerFlag)
  check_cxx_compiler_flag(-march=native KALLIMA_HAS_MARCH_NATIVE)
  if(KALLIMA_HAS_MARCH_NATIVE)
    add_compile_options($<$<NOT:$<COMPILE_LANGUAGE:CUDA>>:-march=native>)
  endif()
endif()

if(KALLIMA_SANITIZE)
  add_compile_options(-fsanitize=${KALLIMA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g -O1)
  add_link_options(-fsanitize=${KALLIMA_SANITIZE})
endif()
